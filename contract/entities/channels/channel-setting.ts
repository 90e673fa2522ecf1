import { z } from 'zod'
import { REQUEST_POLICIES } from '../../enums.ts'
import { jsonTextOf, localizedError, MODEL_NAME_LENGTH_MAX } from '../../fields.ts'

const ProxyAddress = z
  .string()
  .refine(
    url => /^(https?|socks5h?):\/\/\S+$/.test(url),
    localizedError('代理地址应以 http、https 或 socks5 开头', 'a proxy is an http, https or socks5 address'),
  )
const RequestPolicy = z.enum(REQUEST_POLICIES)
export const REGION_CHARS_MAX = 32
/** Whether an upstream counts a part of its tokens inside the total or beside it. */
export const USAGE_COUNTINGS = ['included', 'separate'] as const
export const UsageCounting = z.enum(USAGE_COUNTINGS)
export type UsageCounting = z.infer<typeof UsageCounting>
const KEEP_ALIVE_SECONDS_MAX = 600
export const MULTIPLIER_MIN = 0.01
export const MULTIPLIER_MAX = 100
export const PURCHASE_FACTOR_MIN = 0.001
export const PURCHASE_FACTOR_MAX = 100

/** The text of the JSON object of a channel's further settings. */
export const ChannelSettingText = jsonTextOf(
  z.looseObject({
    force_format: z.boolean().optional(),
    thinking_to_content: z.boolean().optional(),
    proxy: z.union([z.literal(''), ProxyAddress]).optional(),
    several_keys: z.boolean().optional(),
    max_concurrency: z.number().int().min(1).optional(),
    requests_per_minute: z.number().int().min(1).optional(),
    keep_alive_seconds: z.number().int().min(0).max(KEEP_ALIVE_SECONDS_MAX).optional(),
    region: z.string().max(REGION_CHARS_MAX).optional(),
    service_tier: RequestPolicy.optional(),
    server_tools: RequestPolicy.optional(),
    cached_tokens: UsageCounting.optional(),
    reasoning_tokens: UsageCounting.optional(),
    usage_multiplier: z.number().min(MULTIPLIER_MIN).max(MULTIPLIER_MAX).optional(),
    purchase_factor: z.number().min(PURCHASE_FACTOR_MIN).max(PURCHASE_FACTOR_MAX).optional(),
    /** Price lists by model. The server checks them: their rules would weigh on every page of the console. */
    purchase_prices: z.record(z.string().min(1).max(MODEL_NAME_LENGTH_MAX), z.unknown()).optional(),
  }),
)
