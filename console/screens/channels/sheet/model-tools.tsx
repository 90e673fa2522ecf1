import { Suspense, useState } from 'react'
import type { ChannelType } from '#contract/channels.ts'
import { errorText } from '../../../app/call-error.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { lazyPart } from '../../../ui/lazy-part.ts'
import { useText } from '../../../ui/text.ts'
import { toast } from '../../../ui/toast.ts'
import { fetchModels } from '../over-queries.ts'
import type { ChannelFormState } from './form-field.tsx'
import { keyLines } from './key-lines.ts'
import { sheetText } from './sheet-text.ts'

const difference = lazyPart(async () => (await import('./models-dialog.tsx')).ModelsDialog)

interface ModelToolsProps {
  readonly form: ChannelFormState
  readonly type: ChannelType | undefined
  readonly known: readonly string[]
  readonly channelId: number | undefined
}

/** Fills, sorts, copies and clears the model list, or asks the vendor for it. */
export function ModelTools({ form, type, known, channelId }: ModelToolsProps) {
  const t = useText(sheetText)
  const [upstream, setUpstream] = useState<readonly string[]>()
  const [isAsking, setAsking] = useState(false)
  const { models } = form.watch()
  const set = (next: readonly string[]) =>
    form.setValue('models', [...new Set(next)], { shouldDirty: true, shouldValidate: true })

  const ask = async () => {
    const { key, type: typed, base_url, other } = form.getValues()
    const isKeyTyped = keyLines(key).keys.length > 0
    if (!isKeyTyped && channelId === undefined) {
      form.setError('key', { message: t('keyNeeded') })
      return toast('error', t('keyNeeded'))
    }
    setAsking(true)
    try {
      const isSaved = !isKeyTyped && channelId !== undefined
      const draft = { type: Number(typed), key, base_url, other }
      const found: unknown = isSaved ? await fetchModels.saved(channelId) : await fetchModels.unsaved(draft)
      if (!Array.isArray(found)) return toast('error', t('resubmit'))
      setUpstream(found.map(String))
      toast('success', t('modelsFetched'))
    } catch (error) {
      toast('error', `${t('modelsNotFetched')} · ${errorText(error)}`)
    } finally {
      setAsking(false)
    }
  }

  return (
    <div className="-mt-3 flex flex-wrap items-center gap-1 coarse:gap-y-4">
      {type && type.models.length > 0 && (
        <Button size="small" onClick={() => set([...models, ...type.models])}>
          {t('fillRelated')}
        </Button>
      )}
      <Button size="small" onClick={() => set([...models, ...known])}>
        {t('fillAll')}
      </Button>
      {type?.can_list_models !== false && (
        <Button
          size="small"
          isBusy={isAsking}
          onPointerEnter={difference.preload}
          onFocus={difference.preload}
          onClick={() => void ask()}
        >
          {t('fetchModels')}
        </Button>
      )}
      <Button size="small" disabled={models.length < 2} onClick={() => set(models.toSorted())}>
        {t('sort')}
      </Button>
      <Button size="small" disabled={models.length === 0} onClick={() => set([])}>
        {t('clearModels')}
      </Button>
      <CopyButton text={() => form.getValues().models.join(',')} label={t('copyModels')} />
      <Suspense fallback={null}>
        {upstream && (
          <difference.Part
            own={models}
            upstream={upstream}
            mapping={form.getValues().model_mapping}
            onApply={set}
            onClose={() => setUpstream(undefined)}
          />
        )}
      </Suspense>
    </div>
  )
}
