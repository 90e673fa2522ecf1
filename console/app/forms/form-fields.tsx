import type { InputHTMLAttributes, ReactNode } from 'react'
import { Controller, useFormContext } from 'react-hook-form'
import { Field } from '../../ui/forms/field.tsx'
import { NumberInput, Presets } from '../../ui/forms/number-inputs.tsx'
import { PasswordInput, TextInput } from '../../ui/forms/text-inputs.tsx'
import { quotaOfDollars, useMoney } from '../money/money.tsx'
import { MoneyInput } from '../money/money-input.tsx'

interface FormFieldProps {
  /** The form's name of it. */
  readonly name: string
  readonly label: string
  readonly help?: ReactNode
  readonly isRequired?: boolean | undefined
  readonly aside?: ReactNode
}

/** What is wrong with a field of the form around it. */
function useFieldError(name: string): string | undefined {
  const { getFieldState, formState } = useFormContext()
  return getFieldState(name, formState).error?.message
}

type TextFormFieldProps = FormFieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, keyof FormFieldProps | 'prefix'>

/** One line of text of the form around it. */
export function TextFormField({ name, label, help, isRequired, aside, ...input }: TextFormFieldProps) {
  const { register } = useFormContext()
  return (
    <Field {...{ name, label, help, isRequired, aside }} error={useFieldError(name)}>
      {control => <TextInput {...input} {...control} {...register(name)} />}
    </Field>
  )
}

/** A new password, which the browser may suggest and keep. */
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

/** A whole number of the form around it, kept as it was typed. */
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
  /** Dollars, one click each. */
  readonly presets?: { readonly label: string; readonly dollars: readonly number[] }
}

/** An amount in quota and dollars of the form around it, kept as whole quota as it was typed. */
export function QuotaFormField({ disabled = false, presets, ...field }: QuotaFormFieldProps) {
  const { setValue } = useFormContext()
  const { quotaPerUnit } = useMoney()
  const error = useFieldError(field.name)
  const pick = (dollars: number) =>
    setValue(field.name, String(quotaOfDollars(dollars, quotaPerUnit)), {
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
