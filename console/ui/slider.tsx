import type { ControlProps } from './control.ts'

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

/** A number in a small range, chosen by dragging or with the arrows. The figure stands beside it. */
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
