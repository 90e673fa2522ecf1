import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Resolver,
  type UseFormReturn,
  useForm,
} from 'react-hook-form'
import { z } from 'zod'
import { currentLanguage, type Language, translatorOf } from '../../ui/text/text.ts'
import { useDraft } from './drafts.ts'
import { formText } from './text.ts'

interface RecordForm<Values extends FieldValues> {
  readonly schema: z.ZodType<Values, Values>
  readonly start: Values
  /** Name of the draft, and the schema that reads it back. */
  readonly draft: { readonly name: string; readonly schema: z.ZodType<Values> }
}

/** Form of one record. Fields validate on blur, then on change. A saved draft is restored. */
export function useRecordForm<Values extends FieldValues>({
  schema,
  start,
  draft,
}: RecordForm<Values>): UseFormReturn<Values> {
  const kept = useDraft(draft.name)
  const values = draft.schema.safeParse(kept).data
  return useForm<Values>({
    mode: 'onTouched',
    shouldFocusError: false,
    defaultValues: asDefaults(start),
    resolver: formResolver<Values, Values>(schema),
    ...(values ? { values, resetOptions: { keepDefaultValues: true } } : {}),
  })
}

/** Complete values satisfy the library's deep-partial default type. */
const asDefaults = <Values extends FieldValues>(values: Values) => values as DefaultValues<Values>

const BilingualMessage = z.object({ zh: z.string(), en: z.string() })
const t = translatorOf(formText)

/** Message of a rule that has none of its own. */
function defaultMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'too_small') {
    return issue.minimum === 1 && issue.origin === 'string'
      ? t('required')
      : t('tooSmall', { least: Number(issue.minimum) })
  }
  if (issue.code === 'too_big') return t('tooBig', { most: Number(issue.maximum) })
  return issue.code === 'invalid_type' ? t('wrongType') : t('invalid')
}

z.config({ customError: defaultMessage })

/** Message of an issue in the given language. Rules of the contract bring messages in both languages. */
export function issueText(issue: z.core.$ZodIssue, language: Language = currentLanguage()): string {
  const message = BilingualMessage.safeParse('params' in issue ? issue.params : undefined)
  return message.success ? message.data[language] : issue.message
}

/** Validates a form with a zod schema. Messages are chosen in the language at the time of validation. */
export function formResolver<Values extends FieldValues, Output>(
  schema: z.ZodType<Output, Values>,
): Resolver<Values, unknown, Output> {
  return async values => {
    const parsed = await schema.safeParseAsync(values)
    if (parsed.success) return { values: parsed.data, errors: {} }
    return { values: {}, errors: toFieldErrors(parsed.error) }
  }
}

/** Keeps the first error of each field. */
function toFieldErrors<Values extends FieldValues>(error: z.ZodError): FieldErrors<Values> {
  const errors: Record<string, { readonly type: string; readonly message: string }> = {}
  for (const issue of error.issues) {
    const name = String(issue.path[0] ?? 'root')
    errors[name] ??= { type: issue.code, message: issueText(issue) }
  }
  return asFieldErrors(errors)
}

/** The keys come from issue paths, which are the form's field names. */
const asFieldErrors = <Values extends FieldValues>(errors: object): FieldErrors<Values> =>
  errors as FieldErrors<Values>
