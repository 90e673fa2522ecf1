import { Minus, Plus } from 'lucide-react'
import type { Ref } from 'react'
import { classes } from './classes.ts'
import { type ControlProps, inputClasses } from './control.ts'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

interface NumberInputProps extends Partial<ControlProps> {
  /** What stands in the box: text, so that nothing typed is lost. */
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

/** A number with steppers. The value is what was typed; parse it with the form's schema. */
export function NumberInput(props: NumberInputProps) {
  const t = useText(kitText)
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
