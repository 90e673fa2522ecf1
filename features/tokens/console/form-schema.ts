import { z } from 'zod'
import { formatDateTime, parseDateTime } from '#console/app/format/format.tsx'
import {
  addressLines,
  isAddress,
  TOKEN_LIMIT_MAX,
  TOKEN_NAME_LENGTH_MAX,
  TOKEN_QUOTA_DEFAULT,
  type Token,
  type TokenChange,
  type TokenDraft,
} from '#contract/entities/token.ts'
import { REQUEST_POLICIES } from '#contract/enums.ts'
import type { ScreenTranslate } from './text.ts'
import { allowedModels, NEVER } from './token.ts'

export const COUNT_MAX = 100
const WHOLE = /^\d{1,15}$/

/** Limits of a token in the order of the form. They are whole numbers; 0 and empty are no limit. */
export const TOKEN_LIMITS = ['max_concurrency', 'requests_per_minute'] as const

/** What may be asked of the provider at another price. */
export const TOKEN_POLICIES = ['service_tier', 'server_tools'] as const

/** The fields that can be invalid, in the order of the form. Their labels have the same names. */
export const VALIDATED_FIELDS = [
  'name',
  'expired_time',
  'remain_quota',
  'count',
  'model_limits',
  'allow_ips',
  ...TOKEN_LIMITS,
] as const

/**
 * The values of the token form, under the contract's field names. Numbers and times are text as it was typed; names of
 * models are a list.
 */
export const TokenFormValues = z.object({
  name: z.string(),
  group: z.string(),
  /** `yyyy-MM-dd HH:mm:ss`; empty is never. */
  expired_time: z.string(),
  remain_quota: z.string(),
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  model_limits: z.array(z.string()).readonly(),
  allow_ips: z.string(),
  max_concurrency: z.string(),
  requests_per_minute: z.string(),
  service_tier: z.enum(REQUEST_POLICIES),
  server_tools: z.enum(REQUEST_POLICIES),
  /** The number of tokens to create; no field of a token. */
  count: z.string(),
})
export type TokenFormValues = z.infer<typeof TokenFormValues>

export const NEW_TOKEN: TokenFormValues = {
  name: '',
  group: '',
  expired_time: '',
  remain_quota: String(TOKEN_QUOTA_DEFAULT),
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: [],
  allow_ips: '',
  max_concurrency: '0',
  requests_per_minute: '0',
  service_tier: 'allow',
  server_tools: 'allow',
  count: '1',
}

/** A stored token in the form. Fields without a line here need no conversion. */
export const toFormValues = (token: Token): TokenFormValues =>
  TokenFormValues.parse({
    ...token,
    expired_time: token.expired_time === NEVER ? '' : formatDateTime(token.expired_time),
    remain_quota: String(token.remain_quota),
    model_limits: allowedModels(token),
    max_concurrency: String(token.max_concurrency),
    requests_per_minute: String(token.requests_per_minute),
    count: '1',
  })

/** The request body of a token. The values must have passed the schema. */
export const toTokenDraft = ({ count: _, ...values }: TokenFormValues): TokenDraft => ({
  ...values,
  name: values.name.trim(),
  expired_time: values.expired_time.trim() === '' ? NEVER : (parseDateTime(values.expired_time) ?? NEVER),
  remain_quota: toNumber(values.remain_quota),
  model_limits: values.model_limits.join(','),
  allow_ips: addressLines(values.allow_ips).join('\n'),
  max_concurrency: toNumber(values.max_concurrency),
  requests_per_minute: toNumber(values.requests_per_minute),
})

/** 0 for text that is not a whole number: the quota of an unlimited token may hold anything. */
const toNumber = (typed: string): number => (WHOLE.test(typed.trim()) ? Number(typed) : 0)

/** The request body of a change. The initial quota goes along, so that spending in the meantime is kept. */
export const toTokenChange = (
  id: number,
  values: TokenFormValues,
  initial: TokenFormValues,
): TokenChange => ({
  id,
  ...toTokenDraft(values),
  remain_quota_seen: toNumber(initial.remain_quota),
})

/** The rules of the form, with messages in the current language. */
export function tokenFormSchema(t: ScreenTranslate) {
  const limit = z.string().refine(isLimit, t('limitWhole', { most: TOKEN_LIMIT_MAX }))
  return TokenFormValues.extend({
    name: z
      .string()
      .trim()
      .min(1, t('nameNeeded'))
      .refine(
        name => [...name].length <= TOKEN_NAME_LENGTH_MAX,
        t('nameLong', { most: TOKEN_NAME_LENGTH_MAX }),
      ),
    expired_time: z
      .string()
      .refine(typed => typed.trim() === '' || parseDateTime(typed) !== undefined, t('badExpiry')),
    count: z.string().refine(isCount, t('countWhole', { most: COUNT_MAX })),
    allow_ips: z.string().superRefine((typed, context) => {
      const invalid = addressLines(typed).filter(line => !isAddress(line))
      if (invalid.length > 0)
        context.addIssue({ code: 'custom', message: t('badAddresses', { lines: invalid.join(', ') }) })
    }),
    max_concurrency: limit,
    requests_per_minute: limit,
  })
    .refine(values => values.unlimited_quota || WHOLE.test(values.remain_quota.trim()), {
      path: ['remain_quota'],
      message: t('quotaWhole'),
    })
    .refine(values => !values.model_limits_enabled || values.model_limits.length > 0, {
      path: ['model_limits'],
      message: t('modelsNeeded'),
    })
}

const isCount = (typed: string): boolean =>
  WHOLE.test(typed.trim()) && Number(typed) >= 1 && Number(typed) <= COUNT_MAX

const isLimit = (typed: string): boolean =>
  typed.trim() === '' || (WHOLE.test(typed.trim()) && Number(typed) <= TOKEN_LIMIT_MAX)
