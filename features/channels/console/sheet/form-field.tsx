import type { HTMLAttributes, ReactNode } from 'react'
import { type FieldErrors, type UseFormReturn, useController } from 'react-hook-form'
import { type ControlProps, Field, TextInput } from '#console/ui/forms/fields.tsx'
import type { FormError } from '#console/ui/forms/form-errors.tsx'
import { type ChannelFormValues, VALIDATED_FIELDS } from './form-schema.ts'
import type { SheetTranslate } from './text.ts'

export type ChannelFormState = UseFormReturn<ChannelFormValues>

type Name = keyof ChannelFormValues

interface BoundField<Value> {
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
  readonly children: (field: BoundField<ChannelFormValues[FieldName]>, control: ControlProps) => ReactNode
}

/** A field of the channel form: its label, its control and its error message. */
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

interface TextFieldProps {
  readonly form: ChannelFormState
  readonly name: 'name' | 'base_url' | 'other' | 'openai_organization' | 'region' | 'purchase_factor'
  readonly label: string
  readonly help?: ReactNode
  readonly isRequired?: boolean
  readonly isMono?: boolean
  readonly placeholder?: string | undefined
  readonly inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
}

/** A single-line text field of the channel form. */
export function TextField({ isMono = false, placeholder, inputMode, ...field }: TextFieldProps) {
  return (
    <FormField {...field}>
      {({ value, onChange, onBlur }, control) => (
        <TextInput
          {...control}
          isMono={isMono}
          inputMode={inputMode}
          value={value}
          placeholder={placeholder}
          onChange={event => onChange(event.target.value)}
          onBlur={onBlur}
        />
      )}
    </FormField>
  )
}

/** The error messages of the form in the order of its fields. */
export const fieldErrors = (errors: FieldErrors<ChannelFormValues>, t: SheetTranslate): FormError[] =>
  VALIDATED_FIELDS.flatMap(name => {
    const message = errors[name]?.message
    return typeof message === 'string' ? [{ name, label: t(name), message }] : []
  })
