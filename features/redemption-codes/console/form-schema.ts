import { z } from 'zod'
import { QUOTA_MAX } from '#contract/fields.ts'
import {
  REDEMPTION_NAME_LENGTH_MAX,
  REDEMPTIONS_AT_ONCE_MAX,
  type Redemption,
  type RedemptionDraft,
} from '../contract.ts'
import type { ScreenTranslate } from './text.ts'

const QUOTA_DEFAULT = 100_000
const WHOLE = /^\d{1,15}$/

/** The values of the form under the contract's field names. Numbers are text as it was typed. */
export const CodeFormValues = z.object({ name: z.string(), quota: z.string(), count: z.string() })
export type CodeFormValues = z.infer<typeof CodeFormValues>

export const NEW_CODE: CodeFormValues = { name: '', quota: String(QUOTA_DEFAULT), count: '1' }

export const toFormValues = (code: Redemption): CodeFormValues => ({
  name: code.name,
  quota: String(code.quota),
  count: '1',
})

const isWholeUpTo = (typed: string, most: number): boolean =>
  WHOLE.test(typed.trim()) && Number(typed) >= 1 && Number(typed) <= most

/** The rules of the form. Only a new code may have an empty name: the server then names it after its quota. */
export const codeFormSchema = (t: ScreenTranslate, isNew: boolean) =>
  z.object({
    name: z
      .string()
      .refine(name => isNew || name.trim() !== '', t('nameNeeded'))
      .refine(
        name => [...name.trim()].length <= REDEMPTION_NAME_LENGTH_MAX,
        t('nameLong', { most: REDEMPTION_NAME_LENGTH_MAX }),
      ),
    quota: z.string().refine(quota => isWholeUpTo(quota, QUOTA_MAX), t('quotaWhole')),
    count: z
      .string()
      .refine(
        count => isWholeUpTo(count, REDEMPTIONS_AT_ONCE_MAX),
        t('countWhole', { most: REDEMPTIONS_AT_ONCE_MAX }),
      ),
  })

/** The request body. The values must have passed the schema. */
export const toRedemptionDraft = (values: CodeFormValues): RedemptionDraft => ({
  name: values.name.trim(),
  quota: Number(values.quota),
  count: Number(values.count),
})
