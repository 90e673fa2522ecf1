import { classes } from './classes.ts'

interface ProgressBarProps {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
  /** Said to screen readers: "46%". */
  readonly text: string
  /** How it ended, once it has. */
  readonly end?: 'succeeded' | 'failed' | undefined
}

const COLOURS = { succeeded: 'bg-success', failed: 'bg-danger-solid' } as const

/** How far something is that is being done. */
export function ProgressBar({ label, share, text, end }: ProgressBarProps) {
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 100)
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
      className="block h-1.5 w-full overflow-hidden rounded-full bg-neutral-bg"
    >
      <span
        className={classes('block h-full rounded-full', end ? COLOURS[end] : 'bg-primary')}
        style={{ width: `${percent}%` }}
      />
    </span>
  )
}
