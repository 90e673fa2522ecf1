import type { SeriesColour } from '../series-colours.ts'

/** One interval of the horizontal axis. */
export interface Slot {
  readonly key: number
  /** For example "2026-11-21 08:00". */
  readonly label: string
  readonly values: Readonly<Record<string, number>>
}

export interface Series extends Pick<SeriesColour, 'fill' | 'swatch'> {
  readonly id: string
  readonly name: string
}

export const slotTotal = (slot: Slot, series: readonly Series[]): number =>
  series.reduce((sum, { id }) => sum + (slot.values[id] ?? 0), 0)

/** The next round number at or above a maximum: 1, 2, 3, 4, 5, 6, 8, 10, 20 … */
export function niceCeiling(maximum: number): number {
  if (maximum <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(maximum))
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find(candidate => candidate * power >= maximum) ?? 10
  return step * power
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
