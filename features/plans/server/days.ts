import { instantOf, listOffsets } from '#server/core/time-zone.ts'
import type { Day } from './period.ts'

const DAY_SECONDS = 86_400
const MS_PER_DAY = 86_400_000

/** The date at a Unix second, on the clocks of a zone. */
export function dayAt(now: number, zone: string): Day {
  const [offset] = listOffsets(zone || 'UTC', { from: now, until: now })
  return Math.floor((now + (offset?.seconds ?? 0)) / DAY_SECONDS)
}

/** The Unix second at which a day begins. */
export function startOf(day: Day, zone: string): number {
  const local = day * DAY_SECONDS
  const offsets = listOffsets(zone || 'UTC', {
    from: local - 2 * DAY_SECONDS,
    until: local + 2 * DAY_SECONDS,
  })
  return instantOf(local, offsets)
}

/** `2026-05-20` */
export const formatDay = (day: Day): string => new Date(day * MS_PER_DAY).toISOString().slice(0, 10)
