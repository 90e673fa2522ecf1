import { Undo2 } from 'lucide-react'
import { Button, IconButton } from '../../../ui/buttons/button.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useText } from '../../../ui/text/text.ts'
import { text } from '../text.ts'
import { type ChangeLine, changeLines } from './change-lines.ts'
import { kindOf } from './field-kind.ts'
import type { OptionForm } from './option-form.ts'
import type { OptionEdit } from './save-order.ts'
import { useOptionWords } from './use-option-words.ts'

const LINES_MAX = 20

interface ReviewDialogProps {
  readonly form: OptionForm
  readonly onSave: () => void
  readonly onClose: () => void
}

/** Everything that saving would change, old beside new. */
export function ReviewDialog({ form, onSave, onClose }: ReviewDialogProps) {
  const t = useText(text)
  return (
    <Dialog
      title={t('reviewTitle', { count: form.edits.length })}
      width="large"
      onClose={onClose}
      footer={
        <>
          <Button
            onClick={() => {
              form.discard()
              onClose()
            }}
          >
            {t('discard')}
          </Button>
          <Button look="primary" isBusy={form.isSaving} onClick={onSave}>
            {t('save')}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-muted">{t('reviewHelp')}</p>
      <ul className="grid gap-3">
        {form.edits.map(edit => (
          <ReviewedEdit key={edit.key} edit={edit} form={form} />
        ))}
      </ul>
    </Dialog>
  )
}

function ReviewedEdit({ edit, form }: { readonly edit: OptionEdit; readonly form: OptionForm }) {
  const t = useText(text)
  const { label } = useOptionWords()(edit.key)
  const kind = kindOf(edit.key)
  const lines = kind === 'secret' ? [] : changeLines(kind, form.storedOf(edit.key), edit.value)
  const problem = form.problemOf(edit.key)
  return (
    <li className="rounded-card border border-line px-3 py-2">
      <div className="flex items-center justify-between gap-2">
        <span className="font-medium">{label}</span>
        <IconButton
          label={t('undoChange', { name: label })}
          icon={Undo2}
          size="small"
          onClick={() => form.reset(edit.key)}
        />
      </div>
      {kind === 'secret' && (
        <p className="text-small text-muted">{t(edit.value === '' ? 'secretGone' : 'secretNew')}</p>
      )}
      <ul className="grid gap-0.5 text-small">
        {lines.slice(0, LINES_MAX).map(line => (
          <li key={line.name}>
            <ChangedLine line={line} />
          </li>
        ))}
      </ul>
      {lines.length > LINES_MAX && (
        <p className="text-small text-muted">{t('more', { count: lines.length - LINES_MAX })}</p>
      )}
      {problem && <p className="text-small text-danger">{problem}</p>}
    </li>
  )
}

function ChangedLine({ line }: { readonly line: ChangeLine }) {
  const isEntry = line.name !== '' && (line.name === line.before || line.name === line.after)
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      {line.name !== '' && !isEntry && <code className="font-mono text-caption">{line.name}</code>}
      {line.before !== undefined && <Side text={line.before} isOld />}
      {line.before !== undefined && line.after !== undefined && <span aria-hidden>→</span>}
      {line.after !== undefined && <Side text={line.after} />}
    </span>
  )
}

function Side({ text: said, isOld = false }: { readonly text: string; readonly isOld?: boolean }) {
  const t = useText(text)
  const Mark = isOld ? 'del' : 'ins'
  return (
    <Mark
      className={`max-h-24 min-w-0 overflow-hidden break-all ${isOld ? 'text-muted' : 'font-medium no-underline'}`}
    >
      <span className="sr-only">{t(isOld ? 'before' : 'after')} </span>
      {said === '' ? t('empty') : said}
    </Mark>
  )
}
