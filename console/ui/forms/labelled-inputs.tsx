import type { PasswordInputProps, SelectProps, TextAreaProps, TextInputProps } from './fields.tsx'
import { Field, type FieldProps, PasswordInput, Select, TextArea, TextInput } from './fields.tsx'
import { NumberInput, type NumberInputProps } from './number-inputs.tsx'

/** Props of a field and of its only control. */
type Labelled<Input> = Omit<FieldProps, 'children'> & Omit<Input, keyof FieldProps>

/** A field with a single-line text. */
export function InputField({
  name,
  label,
  help,
  error,
  isRequired,
  aside,
  ...input
}: Labelled<TextInputProps>) {
  return (
    <Field {...{ name, label, help, error, isRequired, aside }}>
      {control => <TextInput {...control} {...input} />}
    </Field>
  )
}

/** A field with a password. */
export function PasswordField({
  name,
  label,
  help,
  error,
  isRequired,
  aside,
  ...input
}: Labelled<PasswordInputProps>) {
  return (
    <Field {...{ name, label, help, error, isRequired, aside }}>
      {control => <PasswordInput {...control} {...input} />}
    </Field>
  )
}

/** A field with a text of several lines. */
export function TextAreaField({
  name,
  label,
  help,
  error,
  isRequired,
  aside,
  ...input
}: Labelled<TextAreaProps>) {
  return (
    <Field {...{ name, label, help, error, isRequired, aside }}>
      {control => <TextArea {...control} {...input} />}
    </Field>
  )
}

/** A field with a number. */
export function NumberField({
  name,
  label,
  help,
  error,
  isRequired,
  aside,
  ...input
}: Labelled<NumberInputProps>) {
  return (
    <Field {...{ name, label, help, error, isRequired, aside }}>
      {control => <NumberInput {...control} {...input} />}
    </Field>
  )
}

/** A field with a choice from a short list. */
export function SelectField<Value extends string>({
  name,
  label,
  help,
  error,
  isRequired,
  aside,
  ...input
}: Labelled<SelectProps<Value>>) {
  return (
    <Field {...{ name, label, help, error, isRequired, aside }}>
      {control => <Select {...control} {...input} />}
    </Field>
  )
}
