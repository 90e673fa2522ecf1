import type { ReactNode } from 'react'
import { classes } from '../class-names.ts'
import { colourOf } from './series-colours.ts'

interface TagProps {
  readonly children: string
  /** Shows a square in the name's colour. */
  readonly hasSwatch?: boolean
  readonly isMono?: boolean
  readonly icon?: ReactNode
  /** Makes the tag a button; `hint` describes the click. */
  readonly onClick?: () => void
  readonly hint?: string
}

/** A short name: a group, a model, a tag. */
export function Tag({ children, hasSwatch = false, isMono = false, icon, onClick, hint }: TagProps) {
  const look = classes(
    'inline-flex h-5.5 max-w-full items-center gap-1.5 rounded-control bg-neutral-bg px-1.5 text-caption text-neutral',
    isMono && 'font-mono',
    onClick && 'touch-target hover:bg-selected',
  )
  const content = (
    <>
      {hasSwatch && (
        <span aria-hidden className={classes('size-2 shrink-0 rounded-[2px]', colourOf(children).swatch)} />
      )}
      {icon}
      <span className="truncate">{children}</span>
    </>
  )
  if (!onClick) return <span className={look}>{content}</span>
  return (
    <button
      type="button"
      onClick={onClick}
      data-tooltip={hint}
      aria-label={hint ? `${children}: ${hint}` : children}
      className={look}
    >
      {content}
    </button>
  )
}

/** First letter of a name in the name's colour. Decorative: hidden from screen readers. */
export const Monogram = ({ name }: { readonly name: string }) => (
  <span
    aria-hidden
    className={classes(
      'inline-flex size-5 shrink-0 items-center justify-center rounded-[5px] border border-current/30 text-[0.6875rem] leading-none font-semibold',
      colourOf(name).tint,
    )}
  >
    {[...name.trim()][0]?.toUpperCase() ?? '?'}
  </span>
)

export type Tone = 'success' | 'lime' | 'neutral' | 'warning' | 'danger' | 'info' | 'unknown'
/** The shape of the mark conveys the status without colour. */
export type BadgeMark = 'filled' | 'hollow' | 'triangle' | 'cross' | 'clock' | 'none'

const TONE_CLASSES: Readonly<Record<Tone, string>> = {
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
    TONE_CLASSES[tone],
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
