import type { InputHTMLAttributes, ReactNode } from 'react'
import { Controller, useFormContext } from 'react-hook-form'
import { Field, PasswordInput, TextInput } from '../../ui/forms/fields.tsx'
import { NumberInput, Presets } from '../../ui/forms/number-inputs.tsx'
import { dollarsToQuota, useMoney } from '../format/format.tsx'
import { MoneyInput } from './money-input.tsx'

interface FormFieldProps {
  /** Name of the field in the form. */
  readonly name: string
  readonly label: string
  readonly help?: ReactNode
  readonly isRequired?: boolean | undefined
  readonly aside?: ReactNode
}

/** Error message of a field of the surrounding form. */
function useFieldError(name: string): string | undefined {
  const { getFieldState, formState } = useFormContext()
  return getFieldState(name, formState).error?.message
}

type TextFormFieldProps = FormFieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, keyof FormFieldProps | 'prefix'>

/** Single-line text field of the surrounding form. */
export function TextFormField({ name, label, help, isRequired, aside, ...input }: TextFormFieldProps) {
  const { register } = useFormContext()
  return (
    <Field {...{ name, label, help, isRequired, aside }} error={useFieldError(name)}>
      {control => <TextInput {...input} {...control} {...register(name)} />}
    </Field>
  )
}

/** New password; the browser may suggest and store one. */
export function PasswordFormField(props: FormFieldProps & { readonly placeholder?: string }) {
  const { register } = useFormContext()
  return (
    <Field {...props} error={useFieldError(props.name)}>
      {control => (
        <PasswordInput
          {...control}
          {...register(props.name)}
          autoComplete="new-password"
          placeholder={props.placeholder}
        />
      )}
    </Field>
  )
}

interface NumberFormFieldProps extends FormFieldProps {
  readonly min: number
  readonly max: number
  readonly presets?: {
    readonly label: string
    readonly options: ReadonlyArray<{ readonly value: number; readonly label: string }>
  }
}

/** Whole number of the surrounding form, stored as typed. */
export function NumberFormField({ min, max, presets, ...field }: NumberFormFieldProps) {
  const { setValue } = useFormContext()
  const error = useFieldError(field.name)
  return (
    <div className="grid gap-2">
      <Field {...field} error={error}>
        {control => (
          <Controller
            name={field.name}
            render={({ field: { ref: _, ...bound } }) => (
              <NumberInput {...control} {...bound} min={min} max={max} />
            )}
          />
        )}
      </Field>
      {presets && (
        <Presets
          {...presets}
          onPick={value => setValue(field.name, String(value), { shouldDirty: true, shouldValidate: true })}
        />
      )}
    </div>
  )
}

interface QuotaFormFieldProps extends FormFieldProps {
  readonly disabled?: boolean
  /** Amounts in dollars. */
  readonly presets?: { readonly label: string; readonly dollars: readonly number[] }
}

/** Amount of the surrounding form in quota and dollars, stored as whole quota units as typed. */
export function QuotaFormField({ disabled = false, presets, ...field }: QuotaFormFieldProps) {
  const { setValue } = useFormContext()
  const { quotaPerUnit } = useMoney()
  const error = useFieldError(field.name)
  const pick = (dollars: number) =>
    setValue(field.name, String(dollarsToQuota(dollars, quotaPerUnit)), {
      shouldDirty: true,
      shouldValidate: true,
    })
  return (
    <div className="grid gap-2">
      <Field {...field} error={error}>
        {control => (
          <Controller
            name={field.name}
            render={({ field: { ref: _, ...bound } }) => (
              <MoneyInput {...control} {...bound} disabled={disabled} />
            )}
          />
        )}
      </Field>
      {presets && (
        <Presets
          label={presets.label}
          disabled={disabled}
          onPick={pick}
          options={presets.dollars.map(value => ({ value, label: `$${value}` }))}
        />
      )}
    </div>
  )
}
