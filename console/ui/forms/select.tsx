import { ChevronDown } from 'lucide-react'
import { type Ref, type SelectHTMLAttributes, useId } from 'react'
import { classes, inputClasses } from '../class-names.ts'

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

/** Native select for short lists. Use `Combobox` for long ones. */
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

interface Segment<Value extends string> extends Option<Value> {
  /** Language of the label, where it differs from the page. */
  readonly lang?: string
}

interface SegmentedChoiceProps<Value extends string> {
  readonly label: string
  /** Hides the label visually where the options explain themselves. */
  readonly isLabelHidden?: boolean
  readonly options: ReadonlyArray<Segment<Value>>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** Radio group with two to four options side by side. */
export function SegmentedChoice<Value extends string>({
  label,
  isLabelHidden = false,
  options,
  value,
  onChange,
}: SegmentedChoiceProps<Value>) {
  const name = useId()
  return (
    <fieldset className="grid gap-2">
      <legend className={isLabelHidden ? 'sr-only' : 'mb-2 text-small font-medium'}>{label}</legend>
      <div className="flex rounded-control bg-sunken p-0.5">
        {options.map(option => (
          <label
            key={option.value}
            lang={option.lang}
            className="flex h-7 flex-1 cursor-pointer items-center justify-center rounded-[5px] px-3 text-small whitespace-nowrap text-muted has-checked:bg-raised has-checked:font-medium has-checked:text-fg has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-ring coarse:h-11"
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              className="sr-only"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
