import { z } from 'zod'
import { formatDateTime, parseDateTime } from '#console/app/format/format.tsx'
import { formOf } from '#console/app/forms/form-of.ts'
import {
  TOKEN_QUOTA_DEFAULT,
  type Token,
  type TokenChange,
  type TokenDraft,
} from '#contract/entities/token.ts'
import { TOKEN_NAME_LENGTH_MAX, TokenFields } from '#contract/entities/token-fields.ts'
import type { ScreenTranslate } from './text.ts'
import { allowedModels, NEVER } from './token.ts'

export const COUNT_MAX = 100
const WHOLE = /^\d{1,15}$/

const plain = formOf(TokenFields.omit({ name: true, expired_time: true, model_limits: true }))

/**
 * The values of the token form, under the contract's field names and in the order of the form. Numbers and times are text
 * as it was typed; names of models are a list.
 */
export const TokenFormValues = z.object({
  name: z.string(),
  /** `yyyy-MM-dd HH:mm:ss`; empty is never. */
  expired_time: z.string(),
  remain_quota: z.string(),
  /** The number of tokens to create; no field of a token. */
  count: z.string(),
  model_limits: z.array(z.string()).readonly(),
  ...plain.values,
})
export type TokenFormValues = z.infer<typeof TokenFormValues>

export const NEW_TOKEN: TokenFormValues = {
  ...plain.start,
  name: '',
  expired_time: '',
  remain_quota: String(TOKEN_QUOTA_DEFAULT),
  count: '1',
  model_limits: [],
}

/** A stored token in the form. */
export const toFormValues = (token: Token): TokenFormValues => ({
  ...plain.fromRecord(token),
  name: token.name,
  expired_time: token.expired_time === NEVER ? '' : formatDateTime(token.expired_time),
  remain_quota: String(token.remain_quota),
  count: '1',
  model_limits: allowedModels(token),
})

/** The request body of a token. The values must have passed the schema. */
export const toTokenDraft = (values: TokenFormValues): TokenDraft => ({
  ...plain.toFields(values),
  name: values.name.trim(),
  expired_time: values.expired_time.trim() === '' ? NEVER : (parseDateTime(values.expired_time) ?? NEVER),
  remain_quota: toNumber(values.remain_quota),
  model_limits: values.model_limits.join(','),
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
  return TokenFormValues.extend({
    ...plain.rules,
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
