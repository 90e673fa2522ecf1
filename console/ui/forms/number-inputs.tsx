import { Minus, Plus } from 'lucide-react'
import type { Ref } from 'react'
import { classes, inputClasses } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'
import type { ControlProps } from './fields.tsx'

export interface NumberInputProps extends Partial<ControlProps> {
  /** Kept as text, so that partial input is not lost. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly step?: number
  readonly min?: number
  readonly max?: number
  readonly disabled?: boolean
  readonly suffix?: string
  readonly ref?: Ref<HTMLInputElement>
  readonly 'aria-label'?: string
}

/** A number with step buttons. The value is the typed text; parse it with the form's schema. */
export function NumberInput(props: NumberInputProps) {
  const t = useKitText()
  const {
    value,
    onChange,
    step = 1,
    min = Number.MIN_SAFE_INTEGER,
    max = Number.MAX_SAFE_INTEGER,
    suffix,
    ...control
  } = props
  const stepBy = (amount: number) => {
    const now = Number(value) || 0
    onChange(String(Math.min(Math.max(now + amount, min), max)))
  }
  const stepper =
    'flex h-9 w-9 shrink-0 items-center justify-center border border-line-strong bg-surface text-muted enabled:hover:bg-hover enabled:hover:text-fg disabled:opacity-55 coarse:h-11 coarse:w-11'
  return (
    <div className="flex max-w-48">
      <button
        type="button"
        tabIndex={-1}
        aria-label={t('decrease')}
        disabled={control.disabled || Number(value) <= min}
        className={classes(stepper, 'rounded-l-control border-r-0')}
        onClick={() => stepBy(-step)}
      >
        <Minus size={14} aria-hidden />
      </button>
      <input
        {...control}
        type="text"
        inputMode={Number.isInteger(step) ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={value}
        className={classes(inputClasses, 'min-w-0 rounded-none tabular', suffix && 'border-r-0')}
        onChange={event => onChange(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
          event.preventDefault()
          stepBy(event.key === 'ArrowUp' ? step : -step)
        }}
      />
      {suffix && (
        <span className="flex items-center border-y border-line-strong bg-surface pr-2.5 text-small text-muted">
          {suffix}
        </span>
      )}
      <button
        type="button"
        tabIndex={-1}
        aria-label={t('increase')}
        disabled={control.disabled || Number(value) >= max}
        className={classes(stepper, 'rounded-r-control border-l-0')}
        onClick={() => stepBy(step)}
      >
        <Plus size={14} aria-hidden />
      </button>
    </div>
  )
}

interface SliderProps extends Partial<ControlProps> {
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step: number
  readonly onChange: (value: number) => void
  readonly disabled?: boolean
  readonly 'aria-label'?: string
}

const DIGITS = 10

/** A number in a small range, with the value shown beside the slider. */
export function Slider({ value, min, max, step, onChange, ...control }: SliderProps) {
  return (
    <div className="flex items-center gap-3">
      <input
        {...control}
        type="range"
        value={value}
        min={min}
        max={max}
        step={step}
        onChange={event => onChange(Math.round(Number(event.target.value) * DIGITS) / DIGITS)}
        className="h-5 w-full min-w-0 cursor-pointer accent-primary disabled:cursor-not-allowed disabled:opacity-55 coarse:h-11"
      />
      <output className="w-8 shrink-0 text-right tabular">{value}</output>
    </div>
  )
}

interface PresetsProps<Value extends string | number> {
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: Value; readonly label: string }>
  readonly onPick: (value: Value) => void
  readonly disabled?: boolean
}

/** One-click values for the field above. */
export function Presets<Value extends string | number>({
  label,
  options,
  onPick,
  disabled = false,
}: PresetsProps<Value>) {
  return (
    <fieldset aria-label={label} className="flex flex-wrap gap-1.5 coarse:gap-3">
      {options.map(option => (
        <button
          key={option.value}
          type="button"
          disabled={disabled}
          onClick={() => onPick(option.value)}
          className="h-7 rounded-full border border-line-strong px-2.5 text-caption text-muted touch-target enabled:hover:bg-hover enabled:hover:text-fg disabled:opacity-55"
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
