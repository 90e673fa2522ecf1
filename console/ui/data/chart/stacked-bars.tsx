import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { classes } from '../../class-names.ts'
import { ChartLegend } from './chart-legend.tsx'
import { niceCeiling, type Series, type Slot, type SlotRange, slotRange, slotTotal } from './series.ts'

const TOP = 100
/** Percent of the width, so that two bars alone still look like bars. */
const BAR_WIDTH_MAX = 6

interface StackedBarsProps {
  /** A sentence that contains the total. */
  readonly label: string
  /** Keyboard instructions for screen readers. */
  readonly help: string
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  readonly onSelect: (span: SlotRange) => void
  /** A height class such as `h-60`. */
  readonly height?: string
}

/** Stacked bars over time. Dragging, or Shift with arrow keys, selects a time range. */
export function StackedBars(props: StackedBarsProps) {
  const { label, help, slots, series, format, onSelect, height = 'h-24' } = props
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const { pointed, span, handlers } = useBrush(slots.length, onSelect)
  const shown = series.filter(({ id }) => !hidden.has(id))
  const most = niceCeiling(Math.max(...slots.map(slot => slotTotal(slot, shown)), 0))
  const slot = pointed === undefined ? undefined : slots[pointed]
  const toggle = (id: string) => {
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    setHidden(next)
  }
  return (
    <div className="grid grid-cols-[1fr_auto] gap-x-2 gap-y-1.5">
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${label}. ${help}`}
        aria-valuemin={0}
        aria-valuemax={slots.length - 1}
        aria-valuenow={pointed ?? slots.length - 1}
        aria-valuetext={slotText(slot ?? slots.at(-1), shown, format)}
        className={classes(
          'relative min-w-0 cursor-crosshair touch-pan-y border-b border-line-strong',
          height,
        )}
        {...handlers}
      >
        <Bars slots={slots} series={shown} most={most} pointed={span ? undefined : pointed} />
        {span && <Brushed span={span} count={slots.length} />}
        {slot && pointed !== undefined && (
          <Card
            slot={slot}
            series={shown}
            format={format}
            isRight={pointed > slots.length / 2}
            position={((pointed + 0.5) / slots.length) * TOP}
          />
        )}
      </div>
      <div
        aria-hidden
        className="flex min-w-9 flex-col justify-between text-right text-caption whitespace-nowrap text-subtle tabular"
      >
        <span className="-mt-1">{format(most)}</span>
        <span className="-mb-2">0</span>
      </div>
      <div className="flex justify-between gap-4 text-caption text-muted tabular">
        <span>{slots[0]?.label}</span>
        <span>{slots.at(-1)?.label}</span>
      </div>
      {series.length > 1 && (
        <div className="col-span-2">
          <ChartLegend series={series} hidden={hidden} onToggle={toggle} />
        </div>
      )}
    </div>
  )
}

const slotText = (slot: Slot | undefined, series: readonly Series[], format: (value: number) => string) =>
  slot
    ? [slot.label, ...series.map(({ id, name }) => `${name} ${format(slot.values[id] ?? 0)}`)].join(', ')
    : ''

interface BarsProps {
  readonly slots: readonly Slot[]
  readonly series: readonly Series[]
  readonly most: number
  readonly pointed: number | undefined
}

function Bars({ slots, series, most, pointed }: BarsProps) {
  const room = TOP / slots.length
  const width = Math.min(room * 0.8, BAR_WIDTH_MAX)
  return (
    <svg aria-hidden className="absolute inset-0 size-full" preserveAspectRatio="none" viewBox="0 0 100 100">
      {slots.map((slot, index) => {
        let below = 0
        return (
          <g key={slot.key} className={classes(pointed !== undefined && pointed !== index && 'opacity-55')}>
            {series.map(({ id, fill }) => {
              const height = ((slot.values[id] ?? 0) / most) * TOP
              below += height
              return (
                <rect
                  key={id}
                  x={index * room + (room - width) / 2}
                  y={TOP - below}
                  width={width}
                  height={height}
                  className={fill}
                />
              )
            })}
          </g>
        )
      })}
    </svg>
  )
}

const Brushed = ({ span, count }: { readonly span: SlotRange; readonly count: number }) => (
  <span
    aria-hidden
    className="pointer-events-none absolute inset-y-0 border-x border-primary bg-primary/15"
    style={{
      left: `${(span.from / count) * TOP}%`,
      width: `${((span.to - span.from + 1) / count) * TOP}%`,
    }}
  />
)

interface CardProps {
  readonly slot: Slot
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  readonly isRight: boolean
  readonly position: number
}

/** Values of the slot under the pointer, largest first. */
function Card({ slot, series, format, isRight, position }: CardProps) {
  const sorted = series
    .filter(({ id }) => (slot.values[id] ?? 0) > 0)
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
          <span className="mr-4 text-muted">{name}</span>
          <span className="ml-auto tabular">{format(slot.values[id] ?? 0)}</span>
        </p>
      ))}
      {sorted.length !== 1 && (
        <p className="mt-1 flex justify-end border-t border-line pt-1 font-medium tabular">
          {format(slotTotal(slot, series))}
        </p>
      )}
    </div>
  )
}

interface Brush {
  readonly anchor: number
  readonly end: number
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/**
 * Selects a range of slots: by dragging, or with arrow keys (Shift extends the range, Enter selects it, Escape cancels).
 */
function useBrush(count: number, onSelect: (span: SlotRange) => void) {
  const [pointed, setPointed] = useState<number>()
  const [brush, setBrush] = useState<Brush>()
  const [isDragging, setDragging] = useState(false)

  const slotAt = (event: PointerEvent<Element>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const index = Math.floor(((event.clientX - left) / width) * count)
    return Math.min(Math.max(index, 0), count - 1)
  }
  const take = ({ anchor, end }: Brush) => {
    setBrush(undefined)
    setPointed(undefined)
    onSelect(slotRange(anchor, end))
  }
  const step = (by: number, isExtending: boolean) => {
    const from = pointed ?? count - 1
    const next = Math.min(Math.max(from + by, 0), count - 1)
    setPointed(next)
    setBrush(isExtending ? { anchor: brush?.anchor ?? from, end: next } : undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (by !== undefined) step(by, event.shiftKey)
    else if (event.key === 'Enter' && pointed !== undefined) take(brush ?? { anchor: pointed, end: pointed })
    else if (event.key === 'Escape' && brush) setBrush(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return {
    pointed,
    span: brush && slotRange(brush.anchor, brush.end),
    handlers: {
      onKeyDown,
      onBlur: () => setPointed(undefined),
      onPointerDown: (event: PointerEvent<Element>) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        const slot = slotAt(event)
        setDragging(true)
        setBrush({ anchor: slot, end: slot })
      },
      onPointerMove: (event: PointerEvent<Element>) => {
        const slot = slotAt(event)
        setPointed(slot)
        if (isDragging && brush) setBrush({ ...brush, end: slot })
      },
      onPointerUp: () => {
        setDragging(false)
        if (brush) take(brush)
      },
      onPointerCancel: () => {
        setDragging(false)
        setBrush(undefined)
      },
      onPointerLeave: () => !isDragging && setPointed(undefined),
    },
  }
}
