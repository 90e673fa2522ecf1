import { Check, ChevronDown, CircleAlert, Eye, EyeOff, Minus } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { IconButton } from '../buttons/buttons.tsx'
import { classes, inputClasses } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'

/** Props that a `Field` passes to its control, to tie label, help and error to it. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

export interface FieldProps {
  /** Name of the field in the form. The error summary links to it. */
  readonly name?: string | undefined
  readonly label: string
  readonly help?: ReactNode
  readonly error?: string | undefined
  readonly isRequired?: boolean | undefined
  /** Shown at the end of the label's line, for example a counter. */
  readonly aside?: ReactNode
  readonly children: (control: ControlProps) => ReactNode
}

/** The id of the label of the control with this id. */
export const labelId = (controlId: string): string => `${controlId}-label`

/** Label, control, help and error of one input, connected for screen readers. */
export function Field({ name, label, help, error, isRequired = false, aside, children }: FieldProps) {
  const t = useKitText()
  const ownId = useId()
  const id = name === undefined ? ownId : fieldId(name)
  const described = [error && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ')
  return (
    <div className="grid content-start gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <label id={labelId(id)} htmlFor={id} className="text-small font-medium">
          {label}
          {isRequired && <span className="ml-1.5 text-caption font-normal text-subtle">{t('required')}</span>}
        </label>
        {aside && <span className="text-caption text-muted tabular">{aside}</span>}
      </div>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
        'aria-required': isRequired ? true : undefined,
      })}
      {error && (
        <p id={`${id}-error`} className="flex items-start gap-1.5 text-caption text-danger">
          <CircleAlert size={14} aria-hidden className="mt-px shrink-0" />
          {error}
        </p>
      )}
      {help && (
        <div id={`${id}-help`} className="text-caption text-muted">
          {help}
        </div>
      )}
    </div>
  )
}

/** Id of a field's control. */
export const fieldId = (name: string): string => `field-${name}`

export interface TextInputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly isMono?: boolean
  /** Shown inside the border, before and after the text. */
  readonly prefix?: string
  readonly suffix?: ReactNode
  readonly ref?: Ref<HTMLInputElement>
}

/** Single-line text. Autofill is off unless `autoComplete` is set. */
export function TextInput({ isMono = false, prefix, suffix, className, ...rest }: TextInputProps) {
  const input = (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={classes(
        inputClasses,
        isMono && 'font-mono',
        prefix !== undefined && 'rounded-l-none',
        suffix !== undefined && 'rounded-r-none',
        className,
      )}
    />
  )
  if (prefix === undefined && suffix === undefined) return input
  const frame = 'flex shrink-0 items-center border border-line-strong bg-sunken px-2.5 text-small text-muted'
  return (
    <div className="flex">
      {prefix !== undefined && (
        <span className={classes(frame, 'rounded-l-control border-r-0')}>{prefix}</span>
      )}
      {input}
      {suffix !== undefined && (
        <span className={classes(frame, 'rounded-r-control border-l-0')}>{suffix}</span>
      )}
    </div>
  )
}

export interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly isMono?: boolean
  readonly ref?: Ref<HTMLTextAreaElement>
}

export function TextArea({ isMono = false, rows = 4, className, ...rest }: TextAreaProps) {
  return (
    <textarea
      autoComplete="off"
      spellCheck={false}
      rows={rows}
      {...rest}
      className={classes(
        inputClasses,
        'h-auto coarse:h-auto resize-y py-2',
        isMono && 'font-mono text-small',
        className,
      )}
    />
  )
}

export interface PasswordInputProps extends InputHTMLAttributes<HTMLInputElement> {
  /** Required for password managers. */
  readonly autoComplete: 'current-password' | 'new-password'
  readonly ref?: Ref<HTMLInputElement>
}

export function PasswordInput({ className, ...rest }: PasswordInputProps) {
  const t = useKitText()
  const [isShown, setShown] = useState(false)
  return (
    <div className="relative">
      <input
        spellCheck={false}
        {...rest}
        type={isShown ? 'text' : 'password'}
        className={`${inputClasses} pr-10 ${className ?? ''}`}
      />
      <IconButton
        label={isShown ? t('hide') : t('show')}
        aria-pressed={isShown}
        icon={isShown ? EyeOff : Eye}
        size="small"
        className="absolute top-1/2 right-1 -translate-y-1/2"
        onClick={() => setShown(!isShown)}
      />
    </div>
  )
}

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'size'> {
  /** Indeterminate: some of the items are checked. */
  readonly isMixed?: boolean
  /** Label. Without it, the checkbox needs an `aria-label`. */
  readonly children?: ReactNode
}

export function Checkbox({ isMixed = false, children, className, ...rest }: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current) input.current.indeterminate = isMixed
  }, [isMixed])
  const box = (
    <span
      className={classes(
        'relative inline-flex size-4 shrink-0 align-middle',
        children === undefined && className,
      )}
    >
      <input
        {...rest}
        ref={input}
        type="checkbox"
        className="peer size-4 cursor-pointer touch-target appearance-none rounded-[4px] border border-line-strong bg-surface checked:border-primary checked:bg-primary indeterminate:border-primary indeterminate:bg-primary hover:border-muted disabled:cursor-not-allowed disabled:opacity-55"
      />
      <Check
        size={12}
        strokeWidth={3}
        aria-hidden
        className="pointer-events-none absolute inset-0 m-auto text-on-primary opacity-0 peer-checked:opacity-100 peer-indeterminate:opacity-0"
      />
      <Minus
        size={12}
        strokeWidth={3}
        aria-hidden
        className="pointer-events-none absolute inset-0 m-auto text-on-primary opacity-0 peer-indeterminate:opacity-100"
      />
    </span>
  )
  if (children === undefined) return box
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box above is the control
    <label className={classes('flex cursor-pointer items-center gap-2 text-body', className)}>
      {box}
      {children}
    </label>
  )
}

interface SwitchProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'size'> {
  readonly label: string
  readonly help?: string
  readonly ref?: Ref<HTMLInputElement>
}

/** A switch with its label and help. */
export function Switch({ label, help, ...rest }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="grid gap-0.5">
        <label htmlFor={id} className="cursor-pointer text-small font-medium">
          {label}
        </label>
        {help && (
          <p id={`${id}-help`} className="text-caption text-muted">
            {help}
          </p>
        )}
      </div>
      <span className="relative inline-flex h-5 w-9 shrink-0">
        <input
          {...rest}
          id={id}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox exposes its checked state natively
          role="switch"
          aria-describedby={help ? `${id}-help` : undefined}
          className="peer h-5 w-9 cursor-pointer touch-target appearance-none rounded-full bg-line-strong transition-colors duration-100 checked:bg-primary disabled:cursor-not-allowed disabled:opacity-55"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute top-0.5 left-0.5 size-4 rounded-full bg-surface shadow-sm transition-transform duration-100 peer-checked:translate-x-4 dark:peer-checked:bg-on-primary"
        />
      </span>
    </div>
  )
}

interface Option<Value extends string = string> {
  readonly value: Value
  readonly label: string
}

export interface SelectProps<Value extends string>
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
    <fieldset className="grid min-w-0 gap-2">
      <legend className={isLabelHidden ? 'sr-only' : 'mb-2 text-small font-medium'}>{label}</legend>
      <div className="flex flex-wrap rounded-control bg-sunken p-0.5">
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
