import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Resolver,
  type UseFormReturn,
  useForm,
} from 'react-hook-form'
import { z } from 'zod'
import { currentLanguage, type Language, textOf } from '../../ui/text/text.ts'
import { useDraft } from './drafts.ts'
import { formText } from './text.ts'

interface RecordForm<Values extends FieldValues> {
  readonly schema: z.ZodType<Values, Values>
  readonly start: Values
  /** Where a draft of it may be kept, and how it is read back. */
  readonly draft: { readonly name: string; readonly schema: z.ZodType<Values> }
}

/** The form of one record: checked when a field is left, then while it changes; a kept draft is put back. */
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

/** Complete values are good defaults; the library asks for a deeper type that says the same. */
const asDefaults = <Values extends FieldValues>(values: Values) => values as DefaultValues<Values>

const SaidInBoth = z.object({ zh: z.string(), en: z.string() })
const t = textOf(formText)

/** What a rule without a sentence of its own says. */
function generalText(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'too_small') {
    return issue.minimum === 1 && issue.origin === 'string'
      ? t('required')
      : t('tooSmall', { least: Number(issue.minimum) })
  }
  if (issue.code === 'too_big') return t('tooBig', { most: Number(issue.maximum) })
  return issue.code === 'invalid_type' ? t('wrongType') : t('invalid')
}

z.config({ customError: generalText })

/** The sentence of an issue in the reader's language. Rules of the contract carry theirs in both. */
export function issueText(issue: z.core.$ZodIssue, language: Language = currentLanguage()): string {
  const said = SaidInBoth.safeParse('params' in issue ? issue.params : undefined)
  return said.success ? said.data[language] : issue.message
}

/** Checks a form with a zod schema; the sentences are chosen when they are shown. */
export function formResolver<Values extends FieldValues, Output>(
  schema: z.ZodType<Output, Values>,
): Resolver<Values, unknown, Output> {
  return async values => {
    const parsed = await schema.safeParseAsync(values)
    if (parsed.success) return { values: parsed.data, errors: {} }
    return { values: {}, errors: errorsOf(parsed.error) }
  }
}

/** One error a field: the first. */
function errorsOf<Values extends FieldValues>(error: z.ZodError): FieldErrors<Values> {
  const errors: Record<string, { readonly type: string; readonly message: string }> = {}
  for (const issue of error.issues) {
    const name = String(issue.path[0] ?? 'root')
    errors[name] ??= { type: issue.code, message: issueText(issue) }
  }
  return asFieldErrors(errors)
}

/** The library types errors by the form's fields; the paths of the issues are those fields. */
const asFieldErrors = <Values extends FieldValues>(errors: object): FieldErrors<Values> =>
  errors as FieldErrors<Values>
