import { Check, Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, type Ref, useEffect, useState } from 'react'
import { classes, inputClasses } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'
import type { ControlProps } from './fields.tsx'

interface NumberInputProps extends Partial<ControlProps> {
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

const TICK_MS = 2000

interface InlineNumberProps {
  readonly label: string
  /** Undefined when the underlying values differ; then `mixed` is shown. */
  readonly value: number | undefined
  readonly mixed?: string
  readonly min: number
  /** Resolving to false, or rejecting, restores the old number. */
  readonly onSave: (value: number) => Promise<boolean>
}

const asText = (value: number | undefined): string => (value === undefined ? '' : String(value))

/** A whole number edited inline: Enter or blur saves, Escape restores, arrow keys step, empty input changes nothing. */
export function InlineNumber({ label, value, mixed = '', min, onSave }: InlineNumberProps) {
  const [typed, setTyped] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  useEffect(() => {
    if (!isSaved) return undefined
    const timer = setTimeout(() => setSaved(false), TICK_MS)
    return () => clearTimeout(timer)
  }, [isSaved])

  const parseTyped = (): number | undefined => {
    const parsed = Number.parseInt(typed ?? '', 10)
    return Number.isNaN(parsed) ? undefined : Math.max(parsed, min)
  }
  const save = async () => {
    const next = parseTyped()
    if (next === undefined || next === value) return setTyped(undefined)
    setTyped(String(next))
    const isDone = await onSave(next).catch(() => false)
    setTyped(undefined)
    setSaved(isDone)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') event.currentTarget.blur()
    if (event.key === 'Escape') setTyped(undefined)
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    const step = event.key === 'ArrowUp' ? 1 : -1
    setTyped(String(Math.max((parseTyped() ?? value ?? 0) + step, min)))
  }

  return (
    <span className="relative -mx-1.5 inline-flex coarse:mx-0">
      <input
        type="text"
        role="spinbutton"
        inputMode="numeric"
        autoComplete="off"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={min}
        aria-valuetext={value === undefined ? mixed : undefined}
        placeholder={value === undefined ? mixed : undefined}
        value={typed ?? asText(value)}
        onFocus={event => event.target.select()}
        onChange={event => setTyped(event.target.value)}
        onBlur={() => void save()}
        onKeyDown={onKeyDown}
        className={classes(
          'h-7 rounded-control border border-transparent bg-transparent px-1.5 text-right tabular hover:border-line-strong focus:border-line-strong focus:bg-surface coarse:h-11 coarse:border-line',
          value === undefined ? 'w-16' : 'w-12',
          isSaved && 'pr-5',
        )}
      />
      {isSaved && (
        <Check
          size={13}
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-1.5 -translate-y-1/2 text-success"
        />
      )}
    </span>
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
