import { classes } from '../class-names.ts'

interface MeterProps {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
  /** For screen readers: "$3.10 of $10.00". */
  readonly text: string
}

const HIGH = 0.8
const FULL = 0.95

/** Shows how much of a limit is used. */
export function Meter({ label, share, text }: MeterProps) {
  const filled = Math.min(Math.max(share, 0), 1)
  const colour = filled >= FULL ? 'bg-danger-solid' : filled >= HIGH ? 'bg-series-2' : 'bg-primary'
  return (
    // biome-ignore lint/a11y/useSemanticElements: the native meter cannot be styled consistently
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

interface ProgressBarProps {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
  /** For screen readers: "46%". */
  readonly text: string
  /** The outcome, once the task has ended. */
  readonly end?: 'succeeded' | 'failed' | undefined
}

const COLOURS = { succeeded: 'bg-success', failed: 'bg-danger-solid' } as const

/** Progress of a running task. */
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

/** Placeholder of loading content. Give it the size of the content. */
export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <span aria-hidden className={classes('block animate-pulse rounded-control bg-neutral-bg', className)} />
  )
}
