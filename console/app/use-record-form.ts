import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form'
import type { z } from 'zod'
import { useDraft } from './drafts.ts'
import { formResolver } from './form-resolver.ts'

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
