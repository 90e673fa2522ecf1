import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Resolver,
  type UseFormReturn,
  useForm,
} from 'react-hook-form'
import type { z } from 'zod'
import { useDraft } from './drafts.ts'
import { issueText } from './issue-text.ts'

interface RecordForm<Values extends FieldValues> {
  readonly schema: z.ZodType<Values, Values>
  readonly start: Values
  /** Name of the draft, and the schema that reads it back. */
  readonly draft: { readonly name: string; readonly schema: z.ZodType<Values> }
}

/**
 * Fields validate as they change, after a pause in typing, and all of them on saving. A field that is left untouched shows no
 * error, which would move the button that is being pressed.
 */
export const VALIDATED_AS_TYPED = { mode: 'onChange', delayError: 600, shouldFocusError: false } as const

/** Form of one record. A saved draft is restored. */
export function useRecordForm<Values extends FieldValues>({
  schema,
  start,
  draft,
}: RecordForm<Values>): UseFormReturn<Values> {
  const kept = useDraft(draft.name)
  const values = draft.schema.safeParse(kept).data
  return useForm<Values>({
    ...VALIDATED_AS_TYPED,
    defaultValues: asDefaults(start),
    resolver: formResolver<Values, Values>(schema),
    ...(values ? { values, resetOptions: { keepDefaultValues: true } } : {}),
  })
}

/** Complete values satisfy the library's deep-partial default type. */
const asDefaults = <Values extends FieldValues>(values: Values) => values as DefaultValues<Values>

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
