import { classes } from './classes.ts'

interface MeterProps {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
  /** Said to screen readers: "$3.10 of $10.00". */
  readonly text: string
}

const HIGH = 0.8
const FULL = 0.95

/** How much of a limit is used. */
export function Meter({ label, share, text }: MeterProps) {
  const filled = Math.min(Math.max(share, 0), 1)
  const colour = filled >= FULL ? 'bg-danger-solid' : filled >= HIGH ? 'bg-series-2' : 'bg-primary'
  return (
    // biome-ignore lint/a11y/useSemanticElements: the browser's own meter cannot be coloured alike everywhere
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(filled * 100)}
      aria-valuetext={text}
      className="block h-1.5 w-full overflow-hidden rounded-full bg-neutral-bg"
    >
      <span className={classes('block h-full rounded-full', colour)} style={{ width: `${filled * 100}%` }} />
    </span>
  )
}
