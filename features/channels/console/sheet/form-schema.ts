import { z } from 'zod'
import {
  MULTIPLIER_MAX,
  MULTIPLIER_MIN,
  PURCHASE_FACTOR_MAX,
  PURCHASE_FACTOR_MIN,
  REGION_CHARS_MAX,
} from '#contract/entities/channels/channel-setting.ts'
import { REQUEST_POLICIES } from '#contract/enums.ts'
import { distinctNames } from '#contract/fields.ts'
import { type Channel, type ChannelChange, ChannelDraft, type ChannelType } from '../../contract/channels.ts'
import { findMissingKey } from './key-move.ts'
import { parsePairs } from './mapping.ts'
import { findRowProblem, PurchaseRow } from './purchase-prices.ts'
import {
  COUNTING_CHOICES,
  isSameSetting,
  PROVIDER_TERM_FIELDS,
  readSetting,
  writeSetting,
} from './setting-fields.ts'
import type { SheetTranslate } from './text.ts'

const WHOLE = /^-?\d{1,9}$/
const GROUP_DEFAULT = 'default'

const Names = z.array(z.string()).readonly()

/** The fields that can be invalid, in the order of the form. Their labels have the same names. */
export const VALIDATED_FIELDS = [
  'type',
  'name',
  'key',
  'base_url',
  'other',
  'openai_organization',
  'models',
  'model_mapping',
  'test_model',
  'groups',
  'tag',
  'priority',
  'weight',
  'max_concurrency',
  'requests_per_minute',
  'status_code_mapping',
  'setting',
  'param_override',
  'max_input_tokens',
  ...PROVIDER_TERM_FIELDS,
] as const

/**
 * The values of the channel form, under the contract's field names. Numbers are text as it was typed; lists are arrays.
 * `SettingFields` are keys of the channel's setting with fields of their own.
 */
export const ChannelFormValues = z.object({
  type: z.string(),
  name: z.string(),
  key: z.string(),
  isBatch: z.boolean(),
  several_keys: z.boolean(),
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
  max_concurrency: z.string(),
  requests_per_minute: z.string(),
  auto_ban: z.boolean(),
  status_code_mapping: z.string(),
  setting: z.string(),
  param_override: z.string(),
  max_input_tokens: z.string(),
  region: z.string(),
  service_tier: z.enum(REQUEST_POLICIES),
  server_tools: z.enum(REQUEST_POLICIES),
  cached_tokens: z.enum(COUNTING_CHOICES),
  reasoning_tokens: z.enum(COUNTING_CHOICES),
  usage_multiplier: z.string(),
  purchase_factor: z.string(),
  purchase_prices: z.array(PurchaseRow).readonly(),
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
  auto_ban: true,
  status_code_mapping: '',
  ...readSetting(''),
  param_override: '',
  max_input_tokens: '0',
})

/** A stored channel in the form, without its key. Fields without a line here need no conversion. */
export const toFormValues = (channel: Channel): ChannelFormValues =>
  ChannelFormValues.parse({
    ...channel,
    ...readSetting(channel.setting),
    type: String(channel.type),
    key: '',
    isBatch: false,
    models: distinctNames(channel.models),
    priority: String(channel.priority),
    weight: String(channel.weight),
    auto_ban: channel.auto_ban === 1,
    max_input_tokens: String(channel.max_input_tokens),
  })

interface FormRules {
  /** Undefined for a new channel. */
  readonly stored: Channel | undefined
  readonly types: ReadonlyMap<number, ChannelType>
  readonly t: SheetTranslate
}

const findType = (types: FormRules['types'], type: string): ChannelType | undefined => types.get(Number(type))

/** The rules of the form. The fields that a provider requires come from its entry in `types`. */
export function channelFormSchema({ stored, types, t }: FormRules) {
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
    max_concurrency: amount,
    requests_per_minute: amount,
    status_code_mapping: text(shape.status_code_mapping),
    setting: text(shape.setting),
    param_override: text(shape.param_override),
    max_input_tokens: amount,
    region: z.string().trim().max(REGION_CHARS_MAX),
    usage_multiplier: z.string().refine(typed => {
      const factor = Number(typed)
      return factor >= MULTIPLIER_MIN && factor <= MULTIPLIER_MAX
    }, t('multiplierNeeded')),
    purchase_factor: z.string().refine(typed => {
      const factor = Number(typed)
      return typed.trim() === '' || (factor >= PURCHASE_FACTOR_MIN && factor <= PURCHASE_FACTOR_MAX)
    }, t('factorNeeded')),
    purchase_prices: z
      .array(PurchaseRow)
      .readonly()
      .superRefine((rows, context) => {
        const wrong = rows.flatMap((row, index) =>
          findRowProblem(rows, index, t) ? [row.model.trim() || `#${index + 1}`] : [],
        )
        if (wrong.length > 0)
          context.addIssue({ code: 'custom', message: t('pricesInvalid', { models: wrong.join(', ') }) })
      }),
  }).superRefine((values, context) => {
    const addIssue = (path: keyof ChannelFormValues, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    const form = findType(types, values.type)?.form
    const missingKey = findMissingKey(stored, values, types)
    if (missingKey) addIssue('key', t(MISSING_KEY_TEXTS[missingKey]))
    if (hasSurplusKeys(values, form)) addIssue('key', t('oneKey'))
    if (form?.base_url === 'required' && values.base_url.trim() === '')
      addIssue('base_url', t('baseUrlNeeded'))
    if (form?.other?.is_required && values.other.trim() === '') addIssue('other', t('otherNeeded'))
  })
}

const MISSING_KEY_TEXTS = { first: 'nameKeyNeeded', again: 'keyNeededAgain' } as const

/** Whether several keys were typed for one channel with one key. */
const hasSurplusKeys = (
  { isBatch, several_keys, key }: ChannelFormValues,
  form: ChannelType['form'] | undefined,
): boolean => !isBatch && !several_keys && form?.key !== 'json' && parseKeyLines(key).keys.length > 1

/** Checks a text field against a rule of the contract and adds its issues to the field. */
function applyContractRule(rule: z.ZodType, typed: string, context: z.RefinementCtx): void {
  const checked = rule.safeParse(typed)
  for (const issue of checked.error?.issues ?? []) {
    const params = 'params' in issue ? issue.params : undefined
    context.addIssue({ code: 'custom', message: issue.message, ...(params ? { params } : {}) })
  }
}

/** The request body of a channel. The values must have passed the schema. */
export function toChannelDraft(values: ChannelFormValues, types: FormRules['types']): ChannelDraft {
  const { isBatch, groups, ...others } = values
  const { several_keys, max_concurrency, requests_per_minute, region, service_tier, ...more } = others
  const { server_tools, cached_tokens, reasoning_tokens, usage_multiplier, ...rest } = more
  const { purchase_factor, purchase_prices, setting, ...fields } = rest
  const form = findType(types, values.type)?.form
  const isJsonKey = form?.key === 'json'
  const hasKeyLines = !isJsonKey && (isBatch || several_keys)
  return {
    ...fields,
    type: Number(values.type),
    name: values.name.trim(),
    key: hasKeyLines ? parseKeyLines(values.key).keys.join('\n') : values.key.trim(),
    base_url: form?.base_url === 'hidden' ? '' : values.base_url.trim().replace(/\/+$/, ''),
    other: values.other.trim(),
    openai_organization: values.openai_organization.trim(),
    models: values.models.join(','),
    model_mapping: values.model_mapping.trim(),
    group: groups.join(','),
    tag: values.tag.trim(),
    priority: Number(values.priority),
    weight: Math.max(Number(values.weight), 0),
    auto_ban: values.auto_ban ? 1 : 0,
    status_code_mapping: values.status_code_mapping.trim(),
    setting: writeSetting({
      several_keys: several_keys && !isJsonKey,
      max_concurrency,
      requests_per_minute,
      region: region.trim(),
      service_tier,
      server_tools,
      cached_tokens,
      reasoning_tokens,
      usage_multiplier,
      purchase_factor,
      purchase_prices,
      setting,
    }),
    param_override: values.param_override.trim(),
    max_input_tokens: Number(values.max_input_tokens),
  }
}

/**
 * The fields that differ from the stored channel, so that concurrent changes by others are kept; undefined when none does.
 * A key takes its provider and address along, so that it never meets an address that somebody else has set meanwhile.
 */
export function toChannelChange(channel: Channel, draft: ChannelDraft): ChannelChange | undefined {
  const stored = new Map<string, unknown>(Object.entries({ ...channel, key: '' }))
  const isSame = (field: string, value: unknown): boolean =>
    field === 'setting' ? isSameSetting(channel.setting, draft.setting ?? '') : stored.get(field) === value
  const isSent = (field: string, value: unknown): boolean =>
    !isSame(field, value) || (draft.key !== '' && (field === 'type' || field === 'base_url'))
  const changed = Object.entries(draft).filter(([field, value]) => isSent(field, value))
  return changed.length === 0 ? undefined : { id: channel.id, ...Object.fromEntries(changed) }
}

const ADVANCED = [
  ...PROVIDER_TERM_FIELDS,
  'status_code_mapping',
  'setting',
  'param_override',
  'max_input_tokens',
] as const

/** The number of advanced fields that differ from those of a new channel. */
export function countAdvancedChanges(values: ChannelFormValues): number {
  const defaults = newChannelValues(undefined)
  return ADVANCED.filter(field => JSON.stringify(values[field]) !== JSON.stringify(defaults[field])).length
}

export interface KeyLines {
  readonly keys: readonly string[]
  readonly blankCount: number
  readonly duplicateCount: number
}

/** The keys of a text, one per line. Blank lines and duplicates are dropped and counted; a final line break is no blank line. */
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
