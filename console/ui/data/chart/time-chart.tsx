import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { classes } from '../../class-names.ts'
import { type Language, useLanguage } from '../../text/text.ts'
import { ChartLegend } from './chart-legend.tsx'
import {
  type Axis,
  axisOf,
  labelledSlots,
  type Series,
  type Slot,
  type SlotRange,
  slotTotal,
} from './series.ts'
import { useBrush } from './use-brush.ts'

const PERCENT = 100
/** Percent of the width, so that two bars alone still look like bars. */
const BAR_WIDTH_MAX = 6
const BAR_SHARE = 0.8
const DAY_SECONDS = 86_400
/** Pixels for each label of the two axes. */
const TICK_WIDTH = 72
const TICK_HEIGHT = 32

interface TimeChartProps {
  /** A sentence that contains the total. */
  readonly label: string
  /** Keyboard instructions for screen readers. */
  readonly help: string
  /** Bars are stacked; lines are not, for figures that cannot be added. */
  readonly kind?: 'bars' | 'lines'
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  readonly onSelect: (range: SlotRange) => void
  /** A height class such as `h-60`. */
  readonly height?: string
}

/** Values over time with axes. Dragging, or Shift with arrow keys, selects a time range. */
export function TimeChart(props: TimeChartProps) {
  const { label, help, kind = 'bars', slots, series, format, onSelect, height = 'h-24' } = props
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const { pointed, span, handlers } = useBrush(slots.length, onSelect)
  const plot = useRef<HTMLDivElement>(null)
  const size = useSize(plot)
  const shown = useMemo(() => series.filter(({ id }) => !hidden.has(id)), [series, hidden])
  const axis = useMemo(
    () => axisOf(valuesOf(kind, slots, shown), Math.max(2, size.height / TICK_HEIGHT)),
    [kind, slots, shown, size.height],
  )
  const slot = pointed === undefined ? undefined : slots[pointed]
  const toggle = (id: string) => {
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    setHidden(next)
  }
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-2 gap-y-1 pt-2">
      <ValueLabels axis={axis} format={format} />
      <div
        ref={plot}
        role="slider"
        tabIndex={0}
        aria-label={`${label}. ${help}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(slots.length - 1, 0)}
        aria-valuenow={pointed ?? Math.max(slots.length - 1, 0)}
        aria-valuetext={slotText(slot ?? slots.at(-1), shown, format)}
        className={classes('relative min-w-0 cursor-crosshair touch-pan-y', height)}
        {...handlers}
      >
        <svg
          aria-hidden
          className="absolute inset-0 size-full overflow-visible"
          preserveAspectRatio="none"
          viewBox="0 0 100 100"
        >
          <Grid axis={axis} />
          {kind === 'bars' ? (
            <Bars slots={slots} series={shown} axis={axis} pointed={span ? undefined : pointed} />
          ) : (
            <Lines slots={slots} series={shown} axis={axis} />
          )}
        </svg>
        {span && <Brushed span={span} count={slots.length} />}
        {slot && pointed !== undefined && (
          <Card
            slot={slot}
            series={shown}
            format={format}
            hasTotal={kind === 'bars'}
            isRight={pointed > slots.length / 2}
            position={((pointed + 0.5) / slots.length) * PERCENT}
          />
        )}
      </div>
      <TimeLabels slots={slots} width={size.width} />
      {series.length > 1 && (
        <div className="col-span-2">
          <ChartLegend series={series} hidden={hidden} onToggle={toggle} />
        </div>
      )}
    </div>
  )
}

/** The size of an element in pixels, zero before the first measurement. */
function useSize(element: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    if (!element.current) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height })
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return size
}

const valuesOf = (kind: 'bars' | 'lines', slots: readonly Slot[], series: readonly Series[]) =>
  kind === 'bars'
    ? slots.map(slot => slotTotal(slot, series))
    : slots.flatMap(slot => series.map(({ id }) => slot.values[id] ?? 0))

const slotText = (slot: Slot | undefined, series: readonly Series[], format: (value: number) => string) =>
  slot
    ? [slot.label, ...series.map(({ id, name }) => `${name} ${format(slot.values[id] ?? 0)}`)].join(', ')
    : ''

/** Percent of the height, from the top. */
const heightOf = (value: number, { low, high }: Axis): number => ((high - value) / (high - low)) * PERCENT

interface ValueLabelsProps {
  readonly axis: Axis
  readonly format: (value: number) => string
}

/** The widest label, unseen, makes the column as wide as it needs to be. */
function ValueLabels({ axis, format }: ValueLabelsProps) {
  const labels = axis.ticks.map(tick => ({ tick, text: format(tick) }))
  const widest = labels.reduce((longest, { text }) => (text.length > longest.length ? text : longest), '')
  return (
    <div aria-hidden className="relative text-right text-caption whitespace-nowrap text-subtle tabular">
      <span className="invisible">{widest}</span>
      {labels.map(({ tick, text }) => (
        <span
          key={tick}
          className="absolute right-0 -translate-y-1/2"
          style={{ top: `${heightOf(tick, axis)}%` }}
        >
          {text}
        </span>
      ))}
    </div>
  )
}

interface TimeLabelsProps {
  readonly slots: readonly Slot[]
  readonly width: number
}

function TimeLabels({ slots, width }: TimeLabelsProps) {
  const language = useLanguage()
  const seconds = (slots[1]?.key ?? 0) - (slots[0]?.key ?? 0)
  return (
    <div aria-hidden className="relative col-start-2 h-4 text-caption text-muted tabular">
      {labelledSlots(slots.length, width, TICK_WIDTH).map(index => (
        <span
          key={index}
          className={classes('absolute whitespace-nowrap', index > 0 && '-translate-x-1/2')}
          style={{ left: `${((index + (index > 0 ? 0.5 : 0)) / slots.length) * PERCENT}%` }}
        >
          {tickText(slots[index]?.key ?? 0, seconds, language)}
        </span>
      ))}
    </div>
  )
}

/** The hour within a day, else the date. */
function tickText(at: number, seconds: number, language: Language): string {
  const date = new Date(at * 1000)
  const isClock = seconds < DAY_SECONDS && (date.getHours() > 0 || date.getMinutes() > 0)
  return new Intl.DateTimeFormat(
    language === 'zh' ? 'zh-CN' : 'en-US',
    isClock ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : { month: 'short', day: 'numeric' },
  ).format(date)
}

const Grid = ({ axis }: { readonly axis: Axis }) =>
  axis.ticks.map(tick => (
    <line
      key={tick}
      x1="0"
      x2={PERCENT}
      y1={heightOf(tick, axis)}
      y2={heightOf(tick, axis)}
      vectorEffect="non-scaling-stroke"
      className={tick === 0 ? 'stroke-line-strong' : 'stroke-line'}
    />
  ))

interface ShapesProps {
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly axis: Axis
}

interface BarsProps extends ShapesProps {
  readonly pointed: number | undefined
}

function Bars({ slots, series, axis, pointed }: BarsProps) {
  const room = PERCENT / slots.length
  const width = Math.min(room * BAR_SHARE, BAR_WIDTH_MAX)
  return slots.map((slot, index) => {
    let sum = 0
    return (
      <g key={slot.key} className={classes(pointed !== undefined && pointed !== index && 'opacity-55')}>
        {series.map(({ id, fill }) => {
          const below = sum
          sum += slot.values[id] ?? 0
          return (
            <rect
              key={id}
              x={index * room + (room - width) / 2}
              y={heightOf(sum, axis)}
              width={width}
              height={heightOf(below, axis) - heightOf(sum, axis)}
              className={fill}
            />
          )
        })}
      </g>
    )
  })
}

/** A slot without a value interrupts the line. */
const Lines = ({ slots, series, axis }: ShapesProps) =>
  series.map(({ id, stroke }) => (
    <path
      key={id}
      d={slots
        .map((slot, index) => {
          const value = slot.values[id]
          if (value === undefined) return ''
          const x = ((index + 0.5) / slots.length) * PERCENT
          const isNew = slots[index - 1]?.values[id] === undefined
          // A line to the same place makes a point with round ends visible.
          return `${isNew ? `M${x} ${heightOf(value, axis)}` : ''}L${x} ${heightOf(value, axis)}`
        })
        .join('')}
      fill="none"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      vectorEffect="non-scaling-stroke"
      className={stroke}
    />
  ))

const Brushed = ({ span, count }: { readonly span: SlotRange; readonly count: number }) => (
  <span
    aria-hidden
    className="pointer-events-none absolute inset-y-0 border-x border-primary bg-primary/15"
    style={{
      left: `${(span.from / count) * PERCENT}%`,
      width: `${((span.to - span.from + 1) / count) * PERCENT}%`,
    }}
  />
)

interface CardProps {
  readonly slot: Slot
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  readonly hasTotal: boolean
  readonly isRight: boolean
  readonly position: number
}

/** Values of the slot under the pointer, largest first. */
function Card({ slot, series, format, hasTotal, isRight, position }: CardProps) {
  const sorted = series
    .filter(({ id }) => (slot.values[id] ?? 0) !== 0)
    .toSorted((a, b) => (slot.values[b.id] ?? 0) - (slot.values[a.id] ?? 0))
  return (
    <div
      aria-hidden
      className={classes(
        'pointer-events-none absolute top-0 z-20 min-w-36 rounded-card border border-line bg-raised p-2.5 text-caption shadow-menu',
        isRight ? '-translate-x-[calc(100%+8px)]' : 'translate-x-2',
      )}
      style={{ left: `${position}%` }}
    >
      <p className="mb-1 font-medium whitespace-nowrap tabular">{slot.label}</p>
      {sorted.map(({ id, name, swatch }) => (
        <p key={id} className="flex items-center gap-1.5 whitespace-nowrap">
          <span className={classes('size-2 rounded-[2px]', swatch)} />
          <span className="mr-4 max-w-48 truncate text-muted">{name}</span>
          <span className="ml-auto tabular">{format(slot.values[id] ?? 0)}</span>
        </p>
      ))}
      {hasTotal && sorted.length !== 1 && (
        <p className="mt-1 flex justify-end border-t border-line pt-1 font-medium tabular">
          {format(slotTotal(slot, series))}
        </p>
      )}
    </div>
  )
}
