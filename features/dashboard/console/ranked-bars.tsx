import type { ReactNode } from 'react'
import { classes } from '#console/ui/class-names.ts'
import { shareText } from '#console/ui/data/share.ts'

export interface RankedBar {
  readonly id: string
  readonly name: string
  readonly value: number
  /** Formatted value. */
  readonly text: string
  readonly swatch: string
  /** Makes a link of the bar. Undefined where there is nothing to open. */
  readonly link?: ((className: string, content: ReactNode) => ReactNode) | undefined
}

interface RankedBarsProps {
  readonly label: string
  readonly bars: readonly RankedBar[]
}

const WHOLE = 100

/** Shares of a total, largest first, as links to their details. */
export function RankedBars({ label, bars }: RankedBarsProps) {
  const total = bars.reduce((sum, { value }) => sum + value, 0)
  return (
    <ol aria-label={label} className="grid grid-cols-1 gap-1">
      {bars.map(bar => (
        <li key={bar.id}>
          <Bar bar={bar} share={shareText(bar.value, total)} length={total > 0 ? bar.value / total : 0} />
        </li>
      ))}
    </ol>
  )
}

interface BarProps {
  readonly bar: RankedBar
  readonly share: string
  /** The part of the total. */
  readonly length: number
}

function Bar({ bar: { name, text, swatch, link }, share, length }: BarProps) {
  const content = (
    <>
      <span className="flex w-full items-baseline gap-3 text-small">
        <span className="min-w-0 flex-1 truncate text-left">{name}</span>
        <span className="font-medium tabular">{text}</span>
        <span className="w-11 text-right text-caption text-muted tabular">{share}</span>
      </span>
      <span className="block h-1.5 w-full overflow-hidden rounded-full bg-neutral-bg">
        <span
          className={classes('block h-full rounded-full', swatch)}
          style={{ width: `${length * WHOLE}%` }}
        />
      </span>
    </>
  )
  const look = '-mx-2 grid w-[calc(100%+1rem)] grid-cols-1 gap-1 rounded-control px-2 py-1.5'
  if (!link) return <div className={look}>{content}</div>
  return link(`${look} hover:bg-hover coarse:py-3`, content)
}
