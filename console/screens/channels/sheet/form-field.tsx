import type { ReactNode } from 'react'
import { type UseFormReturn, useController } from 'react-hook-form'
import type { ControlProps } from '../../../ui/control.ts'
import { Field } from '../../../ui/field.tsx'
import type { ChannelFormValues } from './form-values.ts'

export type ChannelFormState = UseFormReturn<ChannelFormValues>

type Name = keyof ChannelFormValues

interface Bound<Value> {
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly onBlur: () => void
}

interface FormFieldProps<FieldName extends Name> {
  readonly form: ChannelFormState
  readonly name: FieldName
  readonly label: string
  readonly help?: ReactNode
  readonly isRequired?: boolean
  readonly aside?: ReactNode
  readonly children: (field: Bound<ChannelFormValues[FieldName]>, control: ControlProps) => ReactNode
}

/** A field of the channel form: its label, its control, what is wrong with it. */
export function FormField<FieldName extends Name>(props: FormFieldProps<FieldName>) {
  const { form, name, label, help, isRequired = false, aside, children } = props
  const { field, fieldState } = useController({ control: form.control, name })
  const change = (value: ChannelFormValues[FieldName]) => field.onChange(value)
  return (
    <Field
      name={name}
      label={label}
      isRequired={isRequired}
      error={fieldState.error?.message}
      {...(help ? { help } : {})}
      {...(aside ? { aside } : {})}
    >
      {control => children({ value: field.value, onChange: change, onBlur: field.onBlur }, control)}
    </Field>
  )
}
