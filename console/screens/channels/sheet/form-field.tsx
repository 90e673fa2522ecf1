import type { HTMLAttributes, ReactNode } from 'react'
import { type FieldErrors, type UseFormReturn, useController } from 'react-hook-form'
import { type ControlProps, Field, type FormError } from '../../../ui/forms/field.tsx'
import { TextInput } from '../../../ui/forms/text-inputs.tsx'
import type { Translate } from '../../../ui/text/text.ts'
import type { ChannelFormValues } from './form-schema.ts'
import type { sheetText } from './text.ts'

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

interface TextFieldProps {
  readonly form: ChannelFormState
  readonly name: 'name' | 'base_url' | 'other' | 'openai_organization'
  readonly label: string
  readonly help?: ReactNode
  readonly isRequired?: boolean
  readonly isMono?: boolean
  readonly placeholder?: string | undefined
  readonly inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
}

/** A field of the channel form that is one line of text. */
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

const LABELS: Readonly<Record<keyof ChannelFormValues, keyof typeof sheetText.zh>> = {
  type: 'type',
  name: 'name',
  key: 'key',
  isBatch: 'batchCreate',
  isSeveral: 'severalKeys',
  base_url: 'baseUrl',
  other: 'otherField',
  openai_organization: 'organization',
  models: 'models',
  model_mapping: 'mapping',
  test_model: 'testModel',
  groups: 'groups',
  tag: 'tag',
  priority: 'priority',
  weight: 'weight',
  concurrency: 'concurrency',
  perMinute: 'perMinute',
  isAutoBan: 'autoBan',
  status_code_mapping: 'statusMapping',
  setting: 'setting',
  param_override: 'override',
  max_input_tokens: 'maxInputTokens',
}

/** What is wrong, in the order of the fields. */
export function fieldErrors(
  errors: FieldErrors<ChannelFormValues>,
  t: Translate<keyof typeof sheetText.zh>,
): FormError[] {
  const said = new Map(Object.entries(errors).map(([name, error]) => [name, error?.message]))
  return Object.entries(LABELS).flatMap(([name, label]) => {
    const message = said.get(name)
    return typeof message === 'string' ? [{ name, label: t(label), message }] : []
  })
}
