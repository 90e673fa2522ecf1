import type { ChannelType } from '#contract/channels.ts'
import { confirm } from '../../../ui/confirm.ts'
import { useText } from '../../../ui/text.ts'
import type { ChannelFormState } from './form-field.tsx'
import { sheetText } from './sheet-text.ts'

const CHANGED = { shouldDirty: true, shouldValidate: false } as const

/**
 * Chooses another vendor. An empty model list is filled with the vendor's own; a list that is still the former
 * vendor's own is replaced when the reader agrees; any other list stays.
 */
export function useTypeChange(form: ChannelFormState, types: ReadonlyMap<number, ChannelType>) {
  const t = useText(sheetText)
  return async (chosen: string) => {
    const { type: former, models, other } = form.getValues()
    if (chosen === former) return
    const before = types.get(Number(former))
    const after = types.get(Number(chosen))
    form.setValue('type', chosen, CHANGED)
    if (other === (before?.form.other?.default_value ?? ''))
      form.setValue('other', after?.form.other?.default_value ?? '', CHANGED)
    if (!after || !(await mayReplace(models, before, after))) return
    form.setValue('models', after.models, CHANGED)
  }

  async function mayReplace(
    models: readonly string[],
    before: ChannelType | undefined,
    after: ChannelType,
  ): Promise<boolean> {
    if (models.length === 0) return true
    const isUntouched = before !== undefined && models.join() === before.models.join()
    if (!isUntouched || after.models.length === 0) return false
    return confirm({
      title: t('replaceModelsTitle', { count: after.models.length, name: after.name }),
      text: t('replaceModelsText', { count: models.length, name: before.name }),
      action: t('replace'),
      otherwise: t('keep'),
    })
  }
}
