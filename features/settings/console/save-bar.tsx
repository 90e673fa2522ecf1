import { Suspense, useCallback, useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { useDirtyGuard } from '#console/app/forms/dirty-guard.ts'
import { useOptionForm } from '#console/app/settings/form.ts'
import { useOptionText } from '#console/app/settings/options.ts'
import { useSettingsText } from '#console/app/settings/text.ts'
import { useShortcut } from '#console/app/shell/shortcuts.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { fieldId } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'

const review = lazyPart(async () => (await import('./review-dialog.tsx')).ReviewDialog)

/** Shown while options are edited: the number of changes, a review, discard and save. */
export function SaveBar({ path }: { readonly path: string }) {
  const t = useSettingsText()
  const form = useOptionForm()
  const optionText = useOptionText()
  const [isReviewing, setReviewing] = useState(false)
  const { edits, isSaving, savedCount, failures, save } = form
  useDirtyGuard(edits.length > 0, path)

  const submit = useCallback(async () => {
    if (edits.length === 0) return toast('warning', t('nothingChanged'))
    const invalid = edits.filter(({ key }) => form.errorOf(key) !== undefined)
    if (invalid[0]) {
      document.getElementById(fieldId(invalid[0].key))?.focus()
      return toast(
        'error',
        t('wrongOptions', { names: invalid.map(({ key }) => optionText(key).label).join(', ') }),
      )
    }
    const failed = await save()
    if (failed.length === 0) toast('success', t('saved'))
    else toast('error', t(failed.length === edits.length ? 'notSaved' : 'partlySaved'))
    setReviewing(false)
  }, [edits, form, save, t, optionText])
  useShortcut('mod+Enter', t('save'), () => void submit())

  if (edits.length === 0) return null
  return (
    <section
      aria-label={t('changes', { count: edits.length })}
      className="sticky bottom-3 z-20 mt-6 rounded-card border border-line-strong bg-raised shadow-lg"
    >
      {failures.length > 0 && (
        <ul
          role="alert"
          className="grid gap-1 rounded-t-card bg-danger-bg px-4 py-2.5 text-small text-danger"
        >
          {failures.map(({ key, error }) => (
            <li key={key}>
              <span className="font-medium">{optionText(key).label}</span> · {errorText(error)}
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2 px-4 py-2.5">
        <p role="status" className="mr-auto font-medium tabular">
          {isSaving
            ? t('saving', { done: savedCount, total: edits.length })
            : t('changes', { count: edits.length })}
        </p>
        <Button
          variant="ghost"
          onPointerEnter={review.preload}
          onFocus={review.preload}
          onClick={() => setReviewing(true)}
        >
          {t('review')}
        </Button>
        <Button disabled={isSaving} onClick={form.discard}>
          {t('discard')}
        </Button>
        <Button variant="primary" isBusy={isSaving} onClick={() => void submit()}>
          {t('save')}
        </Button>
      </div>
      <Suspense fallback={null}>
        {isReviewing && (
          <review.Part form={form} onSave={() => void submit()} onClose={() => setReviewing(false)} />
        )}
      </Suspense>
    </section>
  )
}
