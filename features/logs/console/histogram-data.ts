import type { TimeSpan } from '#console/app/time/ranges.ts'
import type { Series, Slot } from '#console/ui/data/chart/series.ts'
import { colourOf, DANGER_COLOUR, MAIN_COLOUR, OTHER_COLOUR } from '#console/ui/data/series-colours.ts'
import type { Histogram } from '../contract/logs.ts'

const DAY = 24 * 3600
const SLOTS_MAX = 800
/** Of a range without a start: fewer bars would each be too wide. */
const SLOTS_MIN = 24

interface SeriesNames {
  readonly success: string
  readonly error: string
  readonly other: string
}

/** One slot per interval of the range, from the first request on where the range has no start. */
export function toSlots({ bucket_seconds: step, points }: Histogram, { start, end }: TimeSpan): Slot[] {
  if (points.length === 0 || step <= 0) return []
  const byStart = Map.groupBy(points, point => point.start)
  const keys = [Math.min(...byStart.keys())]
  let first = keys[0] ?? end
  for (
    let key = moveSlot(first, step, 1);
    key <= end && keys.length < SLOTS_MAX;
    key = moveSlot(key, step, 1)
  )
    keys.push(key)
  while (keys.length < (start > 0 ? SLOTS_MAX : SLOTS_MIN) && first > start) {
    first = moveSlot(first, step, -1)
    keys.unshift(first)
  }
  return keys.map(key => {
    const values = (byStart.get(key) ?? []).map(({ name, count }) => [name, count] as const)
    return { key, label: slotLabel(key, step), values: Object.fromEntries(values) }
  })
}

/** The start of another slot. Days follow the calendar: one has 23 or 25 hours when the clocks change. */
export function moveSlot(start: number, step: number, by: 1 | -1): number {
  if (step < DAY) return start + by * step
  const at = new Date(start * 1000)
  const days = (by * step) / DAY
  return Math.floor(new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime() / 1000)
}

const two = (value: number): string => String(value).padStart(2, '0')

function slotLabel(start: number, step: number): string {
  const at = new Date(start * 1000)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return step >= DAY ? date : `${date} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The segments of a bar: success and error, or models by number of requests with all others last. */
export function toSeries({ points }: Histogram, split: 'outcome' | 'model', names: SeriesNames): Series[] {
  if (split === 'outcome')
    return [
      { id: 'success', name: names.success, ...MAIN_COLOUR },
      { id: 'error', name: names.error, ...DANGER_COLOUR },
    ]
  const counts = new Map<string, number>()
  for (const { name, count } of points) counts.set(name, (counts.get(name) ?? 0) + count)
  // The server groups the smaller models under an empty name.
  const ranked = [...counts].toSorted(([a, x], [b, y]) => Number(a === '') - Number(b === '') || y - x)
  return ranked.map(([id]) => ({
    id,
    name: id === '' ? names.other : id,
    ...(id === '' ? OTHER_COLOUR : colourOf(id)),
  }))
}
