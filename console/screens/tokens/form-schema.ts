import { z } from 'zod'
import {
  addressLines,
  isAddress,
  TOKEN_LIMIT_MAX,
  TOKEN_NAME_LENGTH_MAX,
  TOKEN_QUOTA_DEFAULT,
  type Token,
  type TokenChange,
  type TokenDraft,
} from '#contract/tokens.ts'
import { formatDateTime, parseDateTime } from '../../app/time/time.tsx'
import type { Translate } from '../../ui/text/text.ts'
import type { text } from './text.ts'
import { allowedModels, NEVER } from './token.ts'

export const COUNT_MAX = 100
const WHOLE = /^\d{1,15}$/

/** What stands in the form: texts as they were typed. */
export interface TokenFormValues {
  readonly name: string
  readonly group: string
  /** `yyyy-MM-dd HH:mm:ss`; empty is never. */
  readonly expiry: string
  readonly quota: string
  readonly isUnlimited: boolean
  readonly count: string
  readonly isLimited: boolean
  readonly models: readonly string[]
  readonly addresses: string
  /** Empty and 0: no limit. */
  readonly concurrency: string
  readonly perMinute: string
}

/** The same, read back from where it was kept. */
export const TokenDraftValues: z.ZodType<TokenFormValues> = z.object({
  name: z.string(),
  group: z.string(),
  expiry: z.string(),
  quota: z.string(),
  isUnlimited: z.boolean(),
  count: z.string(),
  isLimited: z.boolean(),
  models: z.array(z.string()),
  addresses: z.string(),
  concurrency: z.string(),
  perMinute: z.string(),
})

export const NEW_TOKEN: TokenFormValues = {
  name: '',
  group: '',
  expiry: '',
  quota: String(TOKEN_QUOTA_DEFAULT),
  isUnlimited: false,
  count: '1',
  isLimited: false,
  models: [],
  addresses: '',
  concurrency: '0',
  perMinute: '0',
}

export const toFormValues = (token: Token): TokenFormValues => ({
  name: token.name,
  group: token.group,
  expiry: token.expired_time === NEVER ? '' : formatDateTime(token.expired_time),
  quota: String(token.remain_quota),
  isUnlimited: token.unlimited_quota,
  count: '1',
  isLimited: token.model_limits_enabled,
  models: allowedModels(token),
  addresses: token.allow_ips,
  concurrency: String(token.max_concurrency),
  perMinute: String(token.requests_per_minute),
})

/** The form's rules, with their sentences in the reader's language. */
export const tokenFormSchema = (t: Translate<keyof typeof text.zh>) =>
  z
    .object({
      name: z
        .string()
        .trim()
        .min(1, t('nameNeeded'))
        .refine(
          name => [...name].length <= TOKEN_NAME_LENGTH_MAX,
          t('nameLong', { most: TOKEN_NAME_LENGTH_MAX }),
        ),
      group: z.string(),
      expiry: z
        .string()
        .refine(expiry => expiry.trim() === '' || parseDateTime(expiry) !== undefined, t('badExpiry')),
      quota: z.string(),
      isUnlimited: z.boolean(),
      count: z.string().refine(isCount, t('countWhole', { most: COUNT_MAX })),
      isLimited: z.boolean(),
      models: z.array(z.string()).readonly(),
      addresses: z.string().superRefine((addresses, context) => {
        const bad = addressLines(addresses).filter(line => !isAddress(line))
        if (bad.length > 0)
          context.addIssue({ code: 'custom', message: t('badAddresses', { lines: bad.join(', ') }) })
      }),
      concurrency: z.string().refine(isLimit, t('limitWhole', { most: TOKEN_LIMIT_MAX })),
      perMinute: z.string().refine(isLimit, t('limitWhole', { most: TOKEN_LIMIT_MAX })),
    })
    .refine(({ quota, isUnlimited }) => isUnlimited || WHOLE.test(quota.trim()), {
      path: ['quota'],
      message: t('quotaWhole'),
    })
    .refine(({ models, isLimited }) => !isLimited || models.length > 0, {
      path: ['models'],
      message: t('modelsNeeded'),
    })

const isCount = (count: string): boolean =>
  WHOLE.test(count.trim()) && Number(count) >= 1 && Number(count) <= COUNT_MAX

const isLimit = (limit: string): boolean =>
  limit.trim() === '' || (WHOLE.test(limit.trim()) && Number(limit) <= TOKEN_LIMIT_MAX)

/** What the server is sent of a token that was shown so: what was spent since then stays spent. */
export const toTokenChange = (id: number, values: TokenFormValues, shown: TokenFormValues): TokenChange => ({
  id,
  ...toTokenDraft(values),
  remain_quota_seen: toTokenDraft(shown).remain_quota,
})

/** What the server is sent: seconds, comma texts, whole quota. The values must have passed the schema. */
export const toTokenDraft = (values: TokenFormValues): TokenDraft => ({
  name: values.name.trim(),
  group: values.group,
  expired_time: values.expiry.trim() === '' ? NEVER : (parseDateTime(values.expiry) ?? NEVER),
  remain_quota: WHOLE.test(values.quota.trim()) ? Number(values.quota) : 0,
  unlimited_quota: values.isUnlimited,
  model_limits_enabled: values.isLimited,
  model_limits: values.models.join(','),
  allow_ips: addressLines(values.addresses).join('\n'),
  max_concurrency: Number(values.concurrency),
  requests_per_minute: Number(values.perMinute),
})
