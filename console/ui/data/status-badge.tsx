import { classes } from '../class-names.ts'

export type Tone = 'success' | 'lime' | 'neutral' | 'warning' | 'danger' | 'info' | 'unknown'
/** The shape of the mark conveys the status without colour. */
export type BadgeMark = 'filled' | 'hollow' | 'triangle' | 'cross' | 'clock' | 'none'

const TONES: Readonly<Record<Tone, string>> = {
  success: 'bg-success-bg text-success',
  lime: 'bg-success-bg text-lime',
  neutral: 'bg-neutral-bg text-neutral',
  warning: 'bg-warning-bg text-warning',
  danger: 'bg-danger-bg text-danger',
  info: 'bg-info-bg text-info',
  unknown: 'border border-line-strong text-muted',
}

interface StatusBadgeProps {
  readonly tone: Tone
  readonly children: string
  readonly mark?: BadgeMark
  /** Explanation, shown on hover and focus. */
  readonly reason?: string
}

/** A status with a mark whose shape conveys it too. */
export function StatusBadge({ tone, children, mark = 'filled', reason }: StatusBadgeProps) {
  const look = classes(
    'inline-flex h-5.5 max-w-full items-center gap-1.5 rounded-full px-2 text-caption font-medium whitespace-nowrap',
    TONES[tone],
  )
  const content = (
    <>
      {mark !== 'none' && <Mark mark={mark} />}
      <span className="truncate">{children}</span>
    </>
  )
  if (reason === undefined) return <span className={look}>{content}</span>
  return (
    <button
      type="button"
      data-tooltip={reason}
      aria-label={`${children}: ${reason}`}
      className={classes(look, 'touch-target')}
    >
      {content}
    </button>
  )
}

const MARKS: Readonly<Record<Exclude<BadgeMark, 'none'>, string>> = {
  filled: 'M4 0.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 1 1 0 -7z',
  hollow: 'M4 0.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 1 1 0 -7zM4 2.2a1.8 1.8 0 1 0 0 3.6a1.8 1.8 0 1 0 0 -3.6z',
  triangle: 'M4 0.4L7.8 7.2H0.2z',
  cross: 'M1.4 0.2L4 2.8L6.6 0.2L7.8 1.4L5.2 4L7.8 6.6L6.6 7.8L4 5.2L1.4 7.8L0.2 6.6L2.8 4L0.2 1.4z',
  clock: 'M4 0.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 1 1 0 -7zM3.4 1.8v2.6h2.2v-1.1h-1.1v-1.5z',
}

function Mark({ mark }: { readonly mark: Exclude<BadgeMark, 'none'> }) {
  return (
    <svg aria-hidden viewBox="0 0 8 8" className="size-2 shrink-0 fill-current">
      <path d={MARKS[mark]} fillRule="evenodd" />
    </svg>
  )
}
