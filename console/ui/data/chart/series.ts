import type { SeriesColour } from '../series-colours.ts'

/** One interval of the horizontal axis. A series without a value in it leaves a gap. */
export interface Slot {
  /** Start in Unix seconds. */
  readonly key: number
  /** For example "2026-11-21 08:00". */
  readonly label: string
  readonly values: Readonly<Record<string, number>>
}

export interface Series extends Pick<SeriesColour, 'fill' | 'stroke' | 'swatch'> {
  readonly id: string
  readonly name: string
}

export const slotTotal = (slot: Slot, series: readonly Series[]): number =>
  series.reduce((sum, { id }) => sum + (slot.values[id] ?? 0), 0)

export interface Axis {
  readonly low: number
  readonly high: number
  /** Round numbers from `low` to `high`. */
  readonly ticks: readonly number[]
}

const ROOM_ABOVE = 1.05

/** The vertical axis of whole numbers, with at most about `count` ticks. It always contains zero. */
export function axisOf(values: readonly number[], count: number): Axis {
  const low = Math.min(...values, 0)
  const most = Math.max(...values, 0)
  const high = most === 0 && low === 0 ? 1 : most * ROOM_ABOVE
  const step = niceStep((high - low) / count)
  const first = Math.ceil(low / step)
  const ticks = Array.from(
    { length: Math.floor(high / step) - first + 1 },
    (_, index) => (first + index) * step,
  )
  return { low, high, ticks }
}

/** The next of 1, 2, 5, 10, 20, 50 … */
function niceStep(least: number): number {
  if (least <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 5].find(candidate => candidate * power >= least) ?? 10) * power
}

/** The slots that have a label below them: every nth from the first, so that each has `room` pixels. */
export function labelledSlots(count: number, width: number, room: number): readonly number[] {
  const step = Math.max(1, Math.ceil((count * room) / Math.max(width, room)))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

export interface SlotRange {
  readonly from: number
  readonly to: number
}

/** Both ends in ascending order. */
export const slotRange = (anchor: number, end: number): SlotRange => ({
  from: Math.min(anchor, end),
  to: Math.max(anchor, end),
})
