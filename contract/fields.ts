import { z } from 'zod'
import { type LocalizedText, parseJsonText } from './json-text.ts'

/** The error of a rule whose sentence is ours: `z.string().refine(isGood, say('…', '…'))`. */
export const localizedError = (zh: string, en: string) => ({
  error: en,
  params: { zh, en } satisfies LocalizedText,
})

export const QUOTA_MAX = 1_000_000_000_000_000
export const MODEL_NAME_LENGTH_MAX = 255
const TEXT_LENGTH_MAX = 65_536

/** A balance as it may stand: an answer that was dearer than what was held for it takes it below zero. */
export const SignedQuota = z.number().int().min(-QUOTA_MAX).max(QUOTA_MAX)

/** A whole amount of quota units, never negative. */
export const QuotaUnits = z.number().int().min(0).max(QUOTA_MAX)

export const FreeText = z.string().max(TEXT_LENGTH_MAX)

const MAIL_ADDRESS_LENGTH_MAX = 50

/** An e-mail address, in lower case: that is how addresses are told apart. */
export const MailAddress = z.string().trim().toLowerCase().pipe(z.email().max(MAIL_ADDRESS_LENGTH_MAX))

/** Splits at commas and line ends, trims, drops empties and repeats. */
export function distinctNames(text: string | readonly string[]): string[] {
  const parts = typeof text === 'string' ? text.split(/[,\n]/) : text
  return [...new Set(parts.map(part => part.trim()).filter(part => part !== ''))]
}

/** Names as a comma text or a list; always gives the comma text, trimmed and without repeats. */
export const CommaList = z
  .union([FreeText, z.array(z.string()).max(5000)])
  .transform(value => distinctNames(value).join(','))

export const ModelList = CommaList.refine(
  list => distinctNames(list).every(name => name.length <= MODEL_NAME_LENGTH_MAX),
  localizedError(
    `模型名称不能超过 ${MODEL_NAME_LENGTH_MAX} 个字符`,
    `a model name has at most ${MODEL_NAME_LENGTH_MAX} characters`,
  ),
)

/** A truth value as JSON has it, or as 1 and 0. */
export const FlagNumber = z
  .union([z.literal(0), z.literal(1), z.boolean()])
  .transform(value => (value === true || value === 1 ? (1 as const) : (0 as const)))

/** `true` and `1` in a query are yes, everything else is no. */
export const QueryFlag = z
  .union([z.boolean(), z.string()])
  .optional()
  .transform(value => value === true || value === 'true' || value === '1')

/** What the scripts of pages write into an address for a number that they have not got. */
const NO_NUMBERS: ReadonlySet<unknown> = new Set(['NaN', 'null', 'undefined'])

/** A number in a query; absent and empty mean 0, which the lists read as "any". */
export const QueryNumber = z.preprocess(
  sent => (NO_NUMBERS.has(sent) ? undefined : sent),
  z.coerce.number().int().default(0),
)

/** Whole numbers with commas between. */
export const QueryNumbers = z
  .string()
  .trim()
  .max(1000)
  .regex(/^(\d{1,15}(,\d{1,15})*)?$/)
  .default('')

export const QueryText = z.string().trim().max(1000).default('')

/**
 * JSON text that must fit `schema`; the text is kept. Empty text and the text `null` mean unset and give `''`.
 * Repeated keys are refused: which of them counts would be a guess.
 */
export const jsonTextOf = (schema: z.ZodType) =>
  FreeText.transform((text, context) => {
    const trimmed = text.trim()
    if (trimmed === '' || trimmed === 'null') return ''
    const parsed = parseJsonText(trimmed)
    if (!parsed.ok) {
      context.addIssue({
        code: 'custom',
        message: parsed.problem.en,
        params: { ...parsed.problem },
        input: text,
      })
      return z.NEVER
    }
    const checked = schema.safeParse(parsed.value)
    if (!checked.success) {
      for (const issue of checked.error.issues) context.addIssue({ ...issue, input: parsed.value } as never)
      return z.NEVER
    }
    return trimmed
  })
