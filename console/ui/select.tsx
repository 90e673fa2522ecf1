import { ChevronDown } from 'lucide-react'
import type { Ref, SelectHTMLAttributes } from 'react'
import { classes } from './classes.ts'
import { inputClasses } from './control.ts'

export interface Option<Value extends string = string> {
  readonly value: Value
  readonly label: string
}

interface SelectProps<Value extends string>
  extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> {
  readonly options: ReadonlyArray<Option<Value>>
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly isSmall?: boolean
  readonly ref?: Ref<HTMLSelectElement>
}

/** One of a few, with the platform's own list. Long or searchable lists are a `Combobox`. */
export function Select<Value extends string>({
  options,
  value,
  onChange,
  isSmall = false,
  className,
  ...rest
}: SelectProps<Value>) {
  const pick = (picked: string) => {
    const option = options.find(candidate => candidate.value === picked)
    if (option) onChange(option.value)
  }
  return (
    <span className={classes('relative inline-flex', !isSmall && 'w-full')}>
      <select
        {...rest}
        value={value}
        onChange={event => pick(event.target.value)}
        className={classes(
          inputClasses,
          'appearance-none pr-8',
          isSmall && 'h-7! pl-2! text-small! coarse:h-11!',
          className,
        )}
      >
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        size={15}
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2 -translate-y-1/2 text-muted"
      />
    </span>
  )
}
