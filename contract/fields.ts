import { z } from 'zod'
import { type LocalizedText, parseJsonText } from './json-text.ts'

/** The error of a rule of our own, in both languages: `z.string().refine(isValid, localizedError('…', '…'))`. */
export const localizedError = (zh: string, en: string) => ({
  error: en,
  params: { zh, en } satisfies LocalizedText,
})

/** Fields of the API, with what the OpenAPI document says about them. */
export const textField = (description: string, example: string) => z.string().meta({ description, example })
export const numberField = (description: string, example: number) => z.number().meta({ description, example })
export const flagField = (description: string, example: boolean) => z.boolean().meta({ description, example })

export const QUOTA_MAX = 1_000_000_000_000_000
export const MODEL_NAME_LENGTH_MAX = 255
const TEXT_LENGTH_MAX = 65_536

/** A balance. It can be negative, because a response may cost more than the hold that was placed for it. */
export const SignedQuota = z.number().int().min(-QUOTA_MAX).max(QUOTA_MAX)

/** An amount in quota units: a non-negative integer. */
export const QuotaUnits = z.number().int().min(0).max(QUOTA_MAX)

export const FreeText = z.string().max(TEXT_LENGTH_MAX)

const EMAIL_LENGTH_MAX = 50

/** An email address, converted to lower case, because addresses are compared case-insensitively. */
export const EmailAddress = z.string().trim().toLowerCase().pipe(z.email().max(EMAIL_LENGTH_MAX))

/** Splits at commas and line breaks, trims, and drops empty and duplicate names. */
export function distinctNames(text: string | readonly string[]): string[] {
  const parts = typeof text === 'string' ? text.split(/[,\n]/) : text
  return [...new Set(parts.map(part => part.trim()).filter(part => part !== ''))]
}

/** Names as comma-separated text or as an array; parses to comma-separated text without duplicates. */
export const CommaList = z
  .union([FreeText, z.array(z.string()).max(5000)])
  .transform(value => distinctNames(value).join(','))
  .pipe(z.string())

export const ModelList = CommaList.refine(
  list => distinctNames(list).every(name => name.length <= MODEL_NAME_LENGTH_MAX),
  localizedError(
    `模型名称不能超过 ${MODEL_NAME_LENGTH_MAX} 个字符`,
    `a model name has at most ${MODEL_NAME_LENGTH_MAX} characters`,
  ),
)

/** A boolean, or 1 and 0; parses to 1 or 0. */
export const FlagNumber = z
  .union([z.literal(0), z.literal(1), z.boolean()])
  .transform(value => (value === true || value === 1 ? (1 as const) : (0 as const)))
  .pipe(z.literal([0, 1]))

/** A boolean in a query: `true` and `1` are true, everything else is false. */
export const QueryFlag = z
  .union([z.boolean(), z.string()])
  .optional()
  .transform(value => value === true || value === 'true' || value === '1')

/** Texts that scripts put into a query when they have no number. */
const NO_NUMBERS: ReadonlySet<unknown> = new Set(['NaN', 'null', 'undefined'])

/** An integer in a query. Absent and empty mean 0, which filters read as "any". */
export const QueryNumber = z.preprocess(
  input => (NO_NUMBERS.has(input) ? undefined : input),
  z.coerce.number().int().default(0),
)

const UTC_OFFSET_MINUTES_MAX = 14 * 60

/** Whether the runtime knows a zone of this name, such as `Asia/Kolkata`. */
export function isTimeZone(name: string): boolean {
  try {
    return name === '' || new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

/** Of the IANA database, such as `Europe/Berlin`; empty by default. */
export const TimeZoneName = z
  .string()
  .max(64)
  .refine(isTimeZone, localizedError('没有这个名称的时区', 'there is no time zone of this name'))
  .default('')

/** Where the days of a query begin: fields of its object. */
export const LocalDays = {
  utc_offset: z.coerce
    .number()
    .int()
    .min(-UTC_OFFSET_MINUTES_MAX)
    .max(UTC_OFFSET_MINUTES_MAX)
    .default(0)
    .meta({ description: 'Minutes by which local days start before those of UTC.', example: 480 }),
  time_zone: TimeZoneName.meta({
    description:
      'Zone by whose rules days begin, also when clocks change. Empty: by the offset; where that is 0, too, by `ReportingTimeZone`.',
    example: 'Europe/Berlin',
  }),
}

/** Comma-separated non-negative integers. */
export const QueryNumbers = z
  .string()
  .trim()
  .max(1000)
  .regex(/^(\d{1,15}(,\d{1,15})*)?$/)
  .default('')

export const QueryText = z.string().trim().max(1000).default('')

/**
 * JSON text that must match `schema`; the text itself is kept. Empty text and `null` mean unset and parse to `''`.
 * Duplicate keys are rejected, because it is ambiguous which of them counts.
 */
export const jsonTextOf = (schema: z.ZodType) =>
  FreeText.superRefine((text, context) => {
    if (withoutNull(text) === '') return
    const parsed = parseJsonText(text.trim())
    if (!parsed.ok) {
      context.addIssue({
        code: 'custom',
        message: parsed.problem.en,
        params: { ...parsed.problem },
        input: text,
      })
      return
    }
    const checked = schema.safeParse(parsed.value)
    // Without its message, which is English already, an issue of zod's own is put in the language of the whole.
    for (const { message, ...issue } of checked.error?.issues ?? []) {
      const input = issue.path.reduce((value: unknown, name): unknown => Object(value)[name], parsed.value)
      context.addIssue({ ...issue, ...(issue.code === 'custom' && { message }), input } as never)
    }
  }).overwrite(withoutNull)

function withoutNull(text: string): string {
  const trimmed = text.trim()
  return trimmed === 'null' ? '' : trimmed
}
