import { Field, TextInput } from '#console/ui/forms/fields.tsx'

interface NameFieldProps {
  readonly label: string
  readonly value: string
  readonly lengthMax: number
  readonly isRequired?: boolean
  readonly error?: string | undefined
  readonly onChange: (value: string) => void
}

/** A name of an organisation, a member or a project. */
export function NameField({ label, value, lengthMax, isRequired, error, onChange }: NameFieldProps) {
  return (
    <Field label={label} isRequired={isRequired ?? false} error={error}>
      {control => (
        <TextInput
          {...control}
          autoComplete="off"
          maxLength={lengthMax}
          value={value}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
