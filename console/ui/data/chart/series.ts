/** One interval of the horizontal axis. */
export interface Slot {
  readonly key: number
  /** For example "2026-11-21 08:00". */
  readonly label: string
  readonly values: Readonly<Record<string, number>>
}

export interface Series {
  readonly id: string
  readonly name: string
  /** Fill class and background class of the same colour. */
  readonly fill: string
  readonly swatch: string
}

const FILLS = [
  ['fill-series-1', 'bg-series-1'],
  ['fill-series-2', 'bg-series-2'],
  ['fill-series-3', 'bg-series-3'],
  ['fill-series-4', 'bg-series-4'],
  ['fill-series-5', 'bg-series-5'],
  ['fill-series-6', 'bg-series-6'],
  ['fill-series-7', 'bg-series-7'],
  ['fill-series-8', 'bg-series-8'],
] as const
const OTHER = ['fill-subtle', 'bg-subtle'] as const

/** Colours of the n-th series. Series beyond the eighth share one colour. */
export function seriesColours(index: number): Pick<Series, 'fill' | 'swatch'> {
  const [fill, swatch] = FILLS[index] ?? OTHER
  return { fill, swatch }
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
