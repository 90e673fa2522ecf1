import type { PasswordInputProps, SelectProps, TextAreaProps, TextInputProps } from './fields.tsx'
import { Field, type FieldProps, PasswordInput, Select, TextArea, TextInput } from './fields.tsx'
import { NumberInput, type NumberInputProps } from './number-inputs.tsx'

type Label = Omit<FieldProps, 'children'>

/** Props of a field and of its only control. */
type Labelled<Input> = Label & Omit<Input, keyof FieldProps>

/** The props of the field, and those of its control. */
function split<Props extends Label>({ name, label, help, error, isRequired, aside, ...input }: Props) {
  return [{ name, label, help, error, isRequired, aside }, input] as const
}

/** A field with a single-line text. */
export function InputField(props: Labelled<TextInputProps>) {
  const [field, input] = split(props)
  return <Field {...field}>{control => <TextInput {...control} {...input} />}</Field>
}

/** A field with a password. */
export function PasswordField(props: Labelled<PasswordInputProps>) {
  const [field, input] = split(props)
  return <Field {...field}>{control => <PasswordInput {...control} {...input} />}</Field>
}

/** A field with a text of several lines. */
export function TextAreaField(props: Labelled<TextAreaProps>) {
  const [field, input] = split(props)
  return <Field {...field}>{control => <TextArea {...control} {...input} />}</Field>
}

/** A field with a number. */
export function NumberField(props: Labelled<NumberInputProps>) {
  const [field, input] = split(props)
  return <Field {...field}>{control => <NumberInput {...control} {...input} />}</Field>
}

/** A field with a choice from a short list. */
export function SelectField<Value extends string>(props: Labelled<SelectProps<Value>>) {
  const [field, input] = split(props)
  return <Field {...field}>{control => <Select {...control} {...input} />}</Field>
}
