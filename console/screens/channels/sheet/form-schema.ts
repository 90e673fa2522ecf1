import { z } from 'zod'
import {
  type Channel,
  type ChannelChange,
  ChannelDraft,
  type ChannelType,
} from '#contract/channels/channels.ts'
import { distinctNames } from '#contract/fields.ts'
import type { Translate } from '../../../ui/text/text.ts'
import { parsePairs } from './mapping.ts'
import type { sheetText } from './text.ts'

const WHOLE = /^-?\d{1,9}$/
const GROUP_DEFAULT = 'default'

const Names = z.array(z.string()).readonly()

/** What stands in the form: texts as they were typed. */
export const ChannelFormValues = z.object({
  type: z.string(),
  name: z.string(),
  key: z.string(),
  isBatch: z.boolean(),
  isSeveral: z.boolean(),
  base_url: z.string(),
  other: z.string(),
  openai_organization: z.string(),
  models: Names,
  model_mapping: z.string(),
  test_model: z.string(),
  groups: Names,
  tag: z.string(),
  priority: z.string(),
  weight: z.string(),
  concurrency: z.string(),
  perMinute: z.string(),
  isAutoBan: z.boolean(),
  status_code_mapping: z.string(),
  setting: z.string(),
  param_override: z.string(),
  max_input_tokens: z.string(),
})
export type ChannelFormValues = z.infer<typeof ChannelFormValues>

export const newChannelValues = (type: ChannelType | undefined): ChannelFormValues => ({
  type: type === undefined ? '' : String(type.type),
  name: '',
  key: '',
  isBatch: false,
  base_url: '',
  other: type?.form.other?.default_value ?? '',
  openai_organization: '',
  models: type?.models ?? [],
  model_mapping: '',
  test_model: '',
  groups: [GROUP_DEFAULT],
  tag: '',
  priority: '0',
  weight: '0',
  isAutoBan: true,
  status_code_mapping: '',
  ...readSetting(''),
  param_override: '',
  max_input_tokens: '0',
})

export const toFormValues = (channel: Channel): ChannelFormValues => ({
  type: String(channel.type),
  name: channel.name,
  key: '',
  isBatch: false,
  base_url: channel.base_url,
  other: channel.other,
  openai_organization: channel.openai_organization,
  models: distinctNames(channel.models),
  model_mapping: channel.model_mapping,
  test_model: channel.test_model,
  groups: channel.groups,
  tag: channel.tag,
  priority: String(channel.priority),
  weight: String(channel.weight),
  isAutoBan: channel.auto_ban === 1,
  status_code_mapping: channel.status_code_mapping,
  ...readSetting(channel.setting),
  param_override: channel.param_override,
  max_input_tokens: String(channel.max_input_tokens),
})

export interface FormRules {
  readonly isNew: boolean
  readonly types: ReadonlyMap<number, ChannelType>
  readonly t: Translate<keyof typeof sheetText.zh>
}

const findType = (types: FormRules['types'], type: string): ChannelType | undefined => types.get(Number(type))

/** The form's rules. What the vendor asks for comes from its entry in `types`. */
export function channelFormSchema({ isNew, types, t }: FormRules) {
  const { shape } = ChannelDraft
  const text = (rule: z.ZodType) =>
    z.string().superRefine((typed, context) => applyContractRule(rule, typed, context))
  const whole = z.string().refine(typed => WHOLE.test(typed.trim()), t('wholeNeeded'))
  const amount = whole.refine(typed => Number(typed) >= 0, t('notNegative'))
  return ChannelFormValues.extend({
    type: z.string().min(1, t('typeNeeded')),
    name: z.string().trim().min(1, t('nameKeyNeeded')).max(100),
    base_url: text(shape.base_url),
    openai_organization: z.string().max(200),
    models: Names.refine(models => models.length > 0, t('modelsNeeded')),
    model_mapping: z.string().superRefine((typed, context) => {
      if (parsePairs(typed) !== undefined) return applyContractRule(shape.model_mapping, typed, context)
      return context.addIssue({ code: 'custom', message: t('mappingBroken') })
    }),
    groups: Names.refine(groups => groups.length > 0, t('groupsNeeded')),
    tag: z.string().trim().max(100),
    priority: whole,
    weight: whole,
    concurrency: amount,
    perMinute: amount,
    status_code_mapping: text(shape.status_code_mapping),
    setting: text(shape.setting),
    param_override: text(shape.param_override),
    max_input_tokens: amount,
  }).superRefine((values, context) => {
    const said = (path: keyof ChannelFormValues, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    const form = findType(types, values.type)?.form
    const { keys } = parseKeyLines(values.key)
    if (isNew && keys.length === 0) said('key', t('nameKeyNeeded'))
    if (!values.isBatch && !values.isSeveral && form?.key !== 'json' && keys.length > 1)
      said('key', t('oneKey'))
    if (form?.base_url === 'required' && values.base_url.trim() === '') said('base_url', t('baseUrlNeeded'))
    if (form?.other?.is_required && values.other.trim() === '') said('other', t('otherNeeded'))
  })
}

/** A rule of the contract said about a text field: its issues become the field's. */
function applyContractRule(rule: z.ZodType, typed: string, context: z.RefinementCtx): void {
  const checked = rule.safeParse(typed)
  for (const issue of checked.error?.issues ?? []) {
    const params = 'params' in issue ? issue.params : undefined
    context.addIssue({ code: 'custom', message: issue.message, ...(params ? { params } : {}) })
  }
}

/** What the server is sent. The values must have passed the schema. */
export function toChannelDraft(values: ChannelFormValues, types: FormRules['types']): ChannelDraft {
  const form = findType(types, values.type)?.form
  const hasOneKey = form?.key === 'json'
  const hasLines = !hasOneKey && (values.isBatch || values.isSeveral)
  return {
    type: Number(values.type),
    name: values.name.trim(),
    key: hasLines ? parseKeyLines(values.key).keys.join('\n') : values.key.trim(),
    base_url: form?.base_url === 'hidden' ? '' : values.base_url.trim().replace(/\/+$/, ''),
    other: values.other.trim(),
    openai_organization: values.openai_organization.trim(),
    models: values.models.join(','),
    model_mapping: values.model_mapping.trim(),
    test_model: values.test_model,
    group: values.groups.join(','),
    tag: values.tag.trim(),
    priority: Number(values.priority),
    weight: Math.max(Number(values.weight), 0),
    auto_ban: values.isAutoBan ? 1 : 0,
    status_code_mapping: values.status_code_mapping.trim(),
    setting: writeSetting({ ...values, isSeveral: values.isSeveral && !hasOneKey }),
    param_override: values.param_override.trim(),
    max_input_tokens: Number(values.max_input_tokens),
  }
}

/** Only what differs from the stored channel, so that nobody else's change is overwritten; undefined when nothing does. */
export function toChannelChange(channel: Channel, draft: ChannelDraft): ChannelChange | undefined {
  const stored = new Map<string, unknown>(Object.entries({ ...channel, key: '' }))
  const isSame = (field: string, value: unknown): boolean =>
    field === 'setting' ? isSameSetting(channel.setting, draft.setting ?? '') : stored.get(field) === value
  const changed = Object.entries(draft).filter(([field, value]) => !isSame(field, value))
  return changed.length === 0 ? undefined : { id: channel.id, ...Object.fromEntries(changed) }
}

const ADVANCED = ['status_code_mapping', 'setting', 'param_override', 'max_input_tokens'] as const

/** How many of the folded fields differ from what a new channel has. */
export function countAdvancedChanges(values: ChannelFormValues): number {
  const blank = newChannelValues(undefined)
  return ADVANCED.filter(field => values[field] !== blank[field]).length
}

/** The keys of a channel's setting that have fields of their own, and the rest of its JSON. */
interface SettingFields {
  /** The lines of the key are several keys of this one channel. */
  readonly isSeveral: boolean
  /** Whole numbers as they are typed; 0 is no limit. */
  readonly concurrency: string
  readonly perMinute: string
  /** JSON text as it was stored when none of the fields is set. */
  readonly setting: string
}

const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const read: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : undefined
  } catch {
    return undefined
  }
}

const limitText = (stored: unknown): string => (typeof stored === 'number' ? String(stored) : '0')

function readSetting(stored: string): SettingFields {
  const { several_keys, max_concurrency, requests_per_minute, ...rest } = parseObject(stored) ?? {}
  const hasFields = [several_keys, max_concurrency, requests_per_minute].some(value => value !== undefined)
  const left = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, undefined, 2)
  return {
    isSeveral: several_keys === true,
    concurrency: limitText(max_concurrency),
    perMinute: limitText(requests_per_minute),
    setting: hasFields ? left : stored,
  }
}

/** The fields and the rest as one JSON text. What stands in both is the fields'. A broken rest stays as it is. */
function writeSetting({ isSeveral, concurrency, perMinute, setting }: SettingFields): string {
  const rest = parseObject(setting)
  const fields = {
    ...(isSeveral && { several_keys: true }),
    ...(Number(concurrency) > 0 && { max_concurrency: Number(concurrency) }),
    ...(Number(perMinute) > 0 && { requests_per_minute: Number(perMinute) }),
  }
  if (!rest || Object.keys(fields).length === 0) return setting.trim()
  return JSON.stringify({ ...rest, ...fields }, undefined, 2)
}

/** Whether two settings say the same, however they are written. */
function isSameSetting(one: string, other: string): boolean {
  const [a, b] = [one, other].map(parseObject)
  return one === other || (a !== undefined && b !== undefined && sortedJson(a) === sortedJson(b))
}

const sortedJson = (read: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.entries(read).toSorted(([a], [b]) => (a < b ? -1 : 1)))

export interface KeyLines {
  readonly keys: readonly string[]
  readonly blankCount: number
  readonly duplicateCount: number
}

/** The keys of a batch, one a line; blank lines and repeats are dropped and counted. */
export function parseKeyLines(text: string): KeyLines {
  const lines = text.split('\n').map(line => line.trim())
  const filled = lines.filter(line => line !== '')
  const keys = [...new Set(filled)]
  const isEmpty = filled.length === 0
  return {
    keys,
    blankCount: isEmpty ? 0 : lines.slice(0, -1).filter(line => line === '').length,
    duplicateCount: filled.length - keys.length,
  }
}
