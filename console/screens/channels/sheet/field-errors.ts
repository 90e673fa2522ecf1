import type { FieldErrors } from 'react-hook-form'
import type { FormError } from '../../../ui/form-errors.tsx'
import type { Translate } from '../../../ui/text.ts'
import type { ChannelFormValues } from './form-values.ts'
import type { sheetText } from './sheet-text.ts'

const LABELS: Readonly<Record<keyof ChannelFormValues, keyof typeof sheetText.zh>> = {
  type: 'type',
  name: 'name',
  key: 'key',
  isBatch: 'batchCreate',
  isSeveral: 'severalKeys',
  base_url: 'baseUrl',
  other: 'otherField',
  openai_organization: 'organization',
  models: 'models',
  model_mapping: 'mapping',
  test_model: 'testModel',
  groups: 'groups',
  tag: 'tag',
  priority: 'priority',
  weight: 'weight',
  concurrency: 'concurrency',
  perMinute: 'perMinute',
  isAutoBan: 'autoBan',
  status_code_mapping: 'statusMapping',
  setting: 'setting',
  param_override: 'override',
  max_input_tokens: 'maxInputTokens',
}

/** What is wrong, in the order of the fields. */
export function fieldErrors(
  errors: FieldErrors<ChannelFormValues>,
  t: Translate<keyof typeof sheetText.zh>,
): FormError[] {
  const said = new Map(Object.entries(errors).map(([name, error]) => [name, error?.message]))
  return Object.entries(LABELS).flatMap(([name, label]) => {
    const message = said.get(name)
    return typeof message === 'string' ? [{ name, label: t(label), message }] : []
  })
}
