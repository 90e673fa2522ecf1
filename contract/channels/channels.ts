import { z } from 'zod'
import { CommaList, FlagNumber, FreeText, jsonTextOf, localizedError, ModelList } from '../fields.ts'

export const CHANNEL_NAME_LENGTH_MAX = 100
export const CHANNELS_AT_ONCE_MAX = 1000
const KEY_LENGTH_MAX = 1_000_000
const WEIGHT_MAX = 1_000_000
const PRIORITY_MAX = 1_000_000_000
const STATUS_CODE = /^[1-5]\d\d$/

/** Status: 1 enabled, 2 disabled, 3 disabled by the gateway (then `other_info` says why and when). */
export const Channel = z.object({
  id: z.number(),
  type: z.number(),
  /** Always empty: keys never leave. */
  key: z.string(),
  name: z.string(),
  status: z.number(),
  openai_organization: z.string(),
  test_model: z.string(),
  base_url: z.string(),
  other: z.string(),
  /** Comma texts. */
  models: z.string(),
  group: z.string(),
  groups: z.array(z.string()),
  /** JSON texts; empty when unset. */
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  setting: z.string(),
  param_override: z.string(),
  /** JSON text with `status_reason` and `status_time` (Unix seconds) after an automatic change. */
  other_info: z.string(),
  tag: z.string(),
  priority: z.number(),
  weight: z.number(),
  auto_ban: z.number(),
  max_input_tokens: z.number(),
  /** Milliseconds of the last test; 0 not tested. */
  response_time: z.number(),
  test_time: z.number(),
  created_time: z.number(),
  balance: z.number(),
  balance_updated_time: z.number(),
  used_quota: z.number(),
})
export type Channel = z.infer<typeof Channel>

const ModelMapping = jsonTextOf(z.record(z.string(), z.string().min(1)))
const StatusCodeMapping = jsonTextOf(
  z.record(
    z.string().regex(STATUS_CODE),
    z
      .union([z.string(), z.number()])
      .refine(
        code => STATUS_CODE.test(String(code)),
        localizedError('状态码应为 100 到 599', 'a status is 100 to 599'),
      ),
  ),
)
const ProxyAddress = z
  .string()
  .refine(
    url => /^(https?|socks5h?):\/\/\S+$/.test(url),
    localizedError('代理地址应以 http、https 或 socks5 开头', 'a proxy is an http, https or socks5 address'),
  )
const Setting = jsonTextOf(
  z.looseObject({
    force_format: z.boolean().optional(),
    thinking_to_content: z.boolean().optional(),
    proxy: z.union([z.literal(''), ProxyAddress]).optional(),
    several_keys: z.boolean().optional(),
    max_concurrency: z.number().int().min(1).optional(),
    requests_per_minute: z.number().int().min(1).optional(),
  }),
)

const BaseUrl = z
  .string()
  .trim()
  .max(2000)
  .transform(url => url.replace(/\/+$/, ''))
  .refine(
    url => url === '' || URL.canParse(url),
    localizedError('渠道地址不是合法的 URL', 'the base URL is not an address'),
  )

const fields = {
  type: z.number().int().positive(),
  name: z.string().trim().max(CHANNEL_NAME_LENGTH_MAX),
  key: z.string().max(KEY_LENGTH_MAX),
  openai_organization: z.string().trim().max(200),
  test_model: z.string().trim().max(255),
  base_url: BaseUrl,
  other: FreeText,
  models: ModelList,
  group: CommaList,
  groups: z.array(z.string()).max(200),
  model_mapping: ModelMapping,
  status_code_mapping: StatusCodeMapping,
  setting: Setting,
  param_override: jsonTextOf(z.record(z.string(), z.unknown())),
  tag: z.string().trim().max(100),
  priority: z.number().int().min(-PRIORITY_MAX).max(PRIORITY_MAX),
  /** Below 0 becomes 0. */
  weight: z
    .number()
    .int()
    .max(WEIGHT_MAX)
    .transform(weight => Math.max(weight, 0)),
  auto_ban: FlagNumber,
  max_input_tokens: z.number().int().min(0).max(100_000_000),
} as const

/**
 * One channel for each line of `key`, or one in all where the vendor's key is a JSON document or the setting says
 * `several_keys`.
 * With `copy_from` what is absent, and a blank key, come from that channel.
 */
export const ChannelDraft = z.object(fields).partial().extend({
  copy_from: z.number().int().positive().optional(),
})
export type ChannelDraft = z.infer<typeof ChannelDraft>

/** What is absent stays, and so does the key when it is blank. */
export const ChannelChange = z
  .object(fields)
  .partial()
  .extend({
    id: z.number().int().positive(),
    /** 1 enables, 2 disables. A channel disabled by the gateway is sent back as 3 unchanged. */
    status: z.union([z.literal(1), z.literal(2), z.literal(3)]).optional(),
  })
export type ChannelChange = z.infer<typeof ChannelChange>

/** Empty models, groups and mapping mean unchanged; an empty `new_tag` dissolves the tag. */
export const TagChange = z.object({
  tag: z.string().trim().min(1),
  new_tag: fields.tag.optional(),
  priority: fields.priority.optional(),
  weight: z.number().int().min(0).max(WEIGHT_MAX).optional(),
  model_mapping: ModelMapping.optional(),
  models: ModelList.optional(),
  groups: CommaList.optional(),
})
export type TagChange = z.infer<typeof TagChange>

const BothTexts = z.object({ zh: z.string(), en: z.string() })

/** What the channel form needs to know about a vendor. Types that are not served are not listed. */
export const ChannelType = z.object({
  type: z.number(),
  name: z.string(),
  name_zh: z.string(),
  base_url: z.string(),
  key_hint: z.string(),
  models: z.array(z.string()),
  /** `chat`, `embeddings` … what the vendor can do. */
  operations: z.array(z.string()),
  can_list_models: z.boolean(),
  can_query_balance: z.boolean(),
  form: z.object({
    notice: BothTexts.optional(),
    base_url: z.enum(['required', 'hidden', 'optional']),
    base_url_label: BothTexts.optional(),
    key: z.enum(['text', 'json']),
    other: z
      .object({
        label: BothTexts,
        placeholder: z.string().optional(),
        default_value: z.string().optional(),
        is_required: z.boolean(),
      })
      .optional(),
    has_organization: z.boolean(),
  }),
})
export type ChannelType = z.infer<typeof ChannelType>

/** How far the test of all channels is. Times are Unix seconds, 0 when there is none. */
export const TestProgress = z.object({
  is_running: z.boolean(),
  total: z.number(),
  done: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  disabled: z.number(),
  enabled: z.number(),
  started_at: z.number(),
  finished_at: z.number(),
})
export type TestProgress = z.infer<typeof TestProgress>
