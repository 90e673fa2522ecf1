import type { ReactNode } from 'react'
import { classes } from '../class-names.ts'

const SERIES = [
  'bg-series-1',
  'bg-series-2',
  'bg-series-3',
  'bg-series-4',
  'bg-series-5',
  'bg-series-6',
  'bg-series-7',
  'bg-series-8',
] as const

const FNV_START = 2_166_136_261
const FNV_PRIME = 16_777_619

/** Index of a series colour. The same word always gets the same colour. */
export function seriesOf(word: string): number {
  const hash = [...word].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), FNV_PRIME) >>> 0,
    FNV_START,
  )
  return hash % SERIES.length
}

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
        <span aria-hidden className={classes('size-2 shrink-0 rounded-[2px]', SERIES[seriesOf(children)])} />
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

const TINTS = [
  'text-series-1',
  'text-series-2',
  'text-series-3',
  'text-series-4',
  'text-series-5',
  'text-series-6',
  'text-series-7',
  'text-series-8',
] as const

/** First letter of a name in the name's colour. Decorative: hidden from screen readers. */
export const Monogram = ({ name }: { readonly name: string }) => (
  <span
    aria-hidden
    className={classes(
      'inline-flex size-5 shrink-0 items-center justify-center rounded-[5px] border border-current/30 text-[0.6875rem] leading-none font-semibold',
      TINTS[seriesOf(name)],
    )}
  >
    {[...name.trim()][0]?.toUpperCase() ?? '?'}
  </span>
)
