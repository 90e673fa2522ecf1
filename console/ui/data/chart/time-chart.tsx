import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { classes } from '../../class-names.ts'
import { ChartLegend } from './chart-legend.tsx'
import type { SlotRange } from './series.ts'

export interface TimeSeries {
  readonly id: string
  readonly name: string
  /** Names the colour token and its opacity: `bg-series-3 opacity-70`. */
  readonly swatch: string
  /** One number for each slot; null leaves a gap. */
  readonly numbers: readonly (number | null)[]
}

export interface TimeChartProps {
  /** A sentence that contains the total. */
  readonly label: string
  /** Keyboard instructions for screen readers. */
  readonly help: string
  /** Bars are stacked; lines are not, for figures that cannot be added. */
  readonly kind: 'bars' | 'lines'
  /** Start of each slot in Unix seconds, in order. */
  readonly slots: readonly number[]
  readonly series: readonly TimeSeries[]
  readonly format: (value: number) => string
  /** The time of a slot in full, and on the axis. */
  readonly formatTime: (unixSeconds: number) => string
  readonly formatTick: (unixSeconds: number) => string
  readonly onSelect: (range: SlotRange) => void
}

const HEIGHT = 300
const AXIS_WIDTH = 64
const AXIS_HEIGHT = 28
const TICK_SPACE = 80
const BAR_SHARE = 0.8
const BAR_WIDTH_MAX = 64

const tokenColour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** The colour of a swatch class in the current theme. */
function colourOfSwatch(swatch: string): string {
  const [token = '', percent = '100'] = swatch.replace('bg-', '').split(' opacity-')
  const colour = tokenColour(`--${token}`)
  return percent === '100' ? colour : `color-mix(in srgb, ${colour} ${percent}%, ${tokenColour('--surface')})`
}

/** Values over time with axes, in the colours of the theme. Dragging, or Shift with arrow keys, selects a range. */
export function TimeChart(props: TimeChartProps) {
  const { label, help, slots, series, format, formatTime } = props
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const shown = useMemo(() => series.filter(({ id }) => !hidden.has(id)), [series, hidden])
  const { box, pointed, handlers } = useChart(props, shown)
  const last = slots.length - 1
  const toggle = (id: string) => {
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    setHidden(next)
  }
  return (
    <div>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={`${label}. ${help}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(last, 0)}
        aria-valuenow={pointed?.index ?? Math.max(last, 0)}
        aria-valuetext={slotText(pointed?.index ?? last, { slots, series: shown, format, formatTime })}
        style={{ height: HEIGHT }}
        className="relative min-w-0 touch-pan-y"
        {...handlers}
      >
        {pointed && (
          <Card
            {...pointed}
            slots={slots}
            series={shown}
            kind={props.kind}
            format={format}
            formatTime={formatTime}
          />
        )}
      </div>
      {series.length > 1 && <ChartLegend series={series} hidden={hidden} onToggle={toggle} />}
    </div>
  )
}

interface Pointed {
  readonly index: number
  readonly left: number
  readonly isRight: boolean
}

/** Draws on a canvas inside the box, and again when theme, width or data change. */
function useChart(props: TimeChartProps, shown: readonly TimeSeries[]) {
  const { kind, slots, format, formatTick, onSelect } = props
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const select = useRef(onSelect)
  select.current = onSelect
  const [pointed, setPointed] = useState<Pointed>()
  const [anchor, setAnchor] = useState<number>()
  const theme = useTheme()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read
  useEffect(() => {
    const container = box.current
    if (!container) return undefined
    const onCursor = ({ cursor, bbox }: uPlot) => {
      const { idx, left = 0 } = cursor
      if (idx === null || idx === undefined || left < 0) return setPointed(undefined)
      const width = bbox.width / devicePixelRatio
      setPointed({ index: idx, left: left + bbox.left / devicePixelRatio, isRight: left > width / 2 })
    }
    const onRange = (drawn: uPlot) => {
      const { left, width } = drawn.select
      if (width <= 0) return
      const range = { from: drawn.posToIdx(left), to: drawn.posToIdx(left + width) }
      drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
      select.current(range)
    }
    const padding = kind === 'bars' ? slotSeconds(slots) / 2 : 0
    const options = toOptions({
      kind,
      series: shown,
      width: container.clientWidth,
      padding,
      format,
      formatTick,
    })
    const hooks = { setCursor: [onCursor], setSelect: [onRange] }
    const drawn = new uPlot({ ...options, hooks }, toData(kind, slots, shown), container)
    chart.current = drawn
    const sight = new ResizeObserver(() => drawn.setSize({ width: container.clientWidth, height: HEIGHT }))
    sight.observe(container)
    return () => {
      sight.disconnect()
      drawn.destroy()
      setPointed(undefined)
    }
  }, [kind, slots, shown, format, formatTick, theme])

  const point = (index: number) => {
    const drawn = chart.current
    const slot = slots[index]
    if (drawn && slot !== undefined) drawn.setCursor({ left: drawn.valToPos(slot, 'x'), top: 0 })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const current = pointed?.index ?? slots.length - 1
    const next = stepOf(event.key, current, slots.length)
    if (next !== undefined) {
      setAnchor(event.shiftKey ? (anchor ?? current) : undefined)
      point(next)
    } else if (event.key === 'Enter' && pointed) {
      const from = anchor ?? pointed.index
      onSelect({ from: Math.min(from, pointed.index), to: Math.max(from, pointed.index) })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onBlur = () => {
    setAnchor(undefined)
    setPointed(undefined)
  }
  return { box, pointed, handlers: { onKeyDown, onBlur } }
}

function stepOf(key: string, current: number, count: number): number | undefined {
  const last = count - 1
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(current + 1, last)
  return key === 'ArrowLeft' || key === 'ArrowDown' ? Math.max(current - 1, 0) : undefined
}

function useTheme(): string {
  const [theme, setTheme] = useState(() => document.documentElement.dataset.theme ?? '')
  useEffect(() => {
    const watch = new MutationObserver(() => setTheme(document.documentElement.dataset.theme ?? ''))
    watch.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => watch.disconnect()
  }, [])
  return theme
}

const HOUR_SECONDS = 3600

const slotSeconds = ([first, second]: readonly number[]): number =>
  first === undefined || second === undefined ? HOUR_SECONDS : second - first

interface OptionInput extends Pick<TimeChartProps, 'kind' | 'format' | 'formatTick'> {
  readonly series: readonly TimeSeries[]
  readonly width: number
  /** Seconds beside the first and the last slot, for halves of bars. */
  readonly padding: number
}

function toOptions({ kind, series, width, padding, format, formatTick }: OptionInput): uPlot.Options {
  const grid = { stroke: tokenColour('--line'), width: 1 }
  const axis = {
    stroke: tokenColour('--muted'),
    font: '12px system-ui, sans-serif',
    grid,
    ticks: { show: false },
  }
  const drawn = kind === 'bars' ? series.toReversed() : series
  const bars = uPlot.paths.bars?.({ size: [BAR_SHARE, BAR_WIDTH_MAX] })
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { range: (_, min, max) => [min - padding, max + padding] },
      y: { range: (_, min, max) => [Math.min(min, 0), max <= 0 && min >= 0 ? 1 : max * 1.05] },
    },
    axes: [
      {
        ...axis,
        size: AXIS_HEIGHT,
        space: TICK_SPACE,
        grid: { show: false },
        values: (_, ticks) => ticks.map(formatTick),
      },
      { ...axis, size: AXIS_WIDTH, values: (_, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...drawn.map(({ name, swatch }) => {
        const colour = colourOfSwatch(swatch)
        const shape = kind === 'bars' && bars ? { paths: bars, fill: colour } : { spanGaps: false }
        return {
          label: name,
          stroke: colour,
          width: kind === 'bars' ? 0 : 2,
          points: { show: false },
          ...shape,
        }
      }),
    ],
  }
}

/** Bars stand on those below them, so each is drawn from zero to the sum, the highest first. */
function toData(
  kind: TimeChartProps['kind'],
  slots: readonly number[],
  series: readonly TimeSeries[],
): uPlot.AlignedData {
  if (kind === 'lines') return [[...slots], ...series.map(({ numbers }) => [...numbers])]
  const sums = slots.map(() => 0)
  const stacked = series.map(({ numbers }) =>
    slots.map((_, index) => {
      sums[index] = (sums[index] ?? 0) + (numbers[index] ?? 0)
      return sums[index] ?? 0
    }),
  )
  return [[...slots], ...stacked.toReversed()]
}

type SlotFigures = Pick<TimeChartProps, 'slots' | 'series' | 'format' | 'formatTime'>

function slotText(index: number, { slots, series, format, formatTime }: SlotFigures): string {
  const slot = slots[index]
  if (slot === undefined) return ''
  const values = series.flatMap(({ name, numbers }) => {
    const value = numbers[index]
    return value === null || value === undefined ? [] : [`${name} ${format(value)}`]
  })
  return [formatTime(slot), ...values].join(', ')
}

interface CardProps extends SlotFigures, Pointed {
  readonly kind: TimeChartProps['kind']
}

/** The values of the slot under the pointer, largest first. */
function Card({ index, left, isRight, slots, series, kind, format, formatTime }: CardProps) {
  const values = series
    .map(({ id, name, swatch, numbers }) => ({ id, name, swatch, value: numbers[index] ?? 0 }))
    .filter(({ value }) => value !== 0)
    .toSorted((a, b) => b.value - a.value)
  return (
    <div
      aria-hidden
      className={classes(
        'pointer-events-none absolute top-2 z-20 min-w-36 rounded-card border border-line bg-raised p-2.5 text-caption shadow-menu',
        isRight ? '-translate-x-[calc(100%+8px)]' : 'translate-x-2',
      )}
      style={{ left }}
    >
      <p className="mb-1 font-medium whitespace-nowrap tabular">{formatTime(slots[index] ?? 0)}</p>
      {values.map(({ id, name, swatch, value }) => (
        <p key={id} className="flex items-center gap-1.5 whitespace-nowrap">
          <span className={classes('size-2 rounded-[2px]', swatch)} />
          <span className="mr-4 max-w-48 truncate text-muted">{name}</span>
          <span className="ml-auto tabular">{format(value)}</span>
        </p>
      ))}
      {kind === 'bars' && values.length !== 1 && (
        <p className="mt-1 flex justify-end border-t border-line pt-1 font-medium tabular">
          {format(values.reduce((sum, { value }) => sum + value, 0))}
        </p>
      )}
    </div>
  )
}
