import { dayOffsets, instantOf } from '#server/core/time-zone.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'

const MONTH_SECONDS_MAX = 31 * 86_400
const MONTH_TEXT = /^(\d{4})-?(\d{2})$/

/** The calendar month `2026-11` or `202611` of a zone; an empty zone is UTC. */
export function spanOfMonth(month: string, zone: string): TimeRange {
  const [, year = '', ordinal = ''] = MONTH_TEXT.exec(month) ?? []
  const startOf = (index: number): number => {
    const local = Date.UTC(Number(year), index) / 1000
    const around = { from: local - MONTH_SECONDS_MAX, until: local + MONTH_SECONDS_MAX }
    return instantOf(local, dayOffsets({ time_zone: zone, utc_offset: 0 }, around, zone))
  }
  return { from: startOf(Number(ordinal) - 1), until: startOf(Number(ordinal)) }
}

/** The number of a bill, one for each month and user. */
export const billNumber = (month: string, userId: number): string => `${month.replace('-', '')}-${userId}`

/** The month `2026-11` that a period is; undefined for any other period. */
export function monthOf({ from, until }: TimeRange, zone: string): string | undefined {
  const middle = new Date(((from + until) / 2) * 1000)
  const month = middle.toISOString().slice(0, '2026-11'.length)
  const span = spanOfMonth(month, zone)
  return span.from === from && span.until === until ? month : undefined
}
