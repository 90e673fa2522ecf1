import { instantOf, listOffsets } from '#server/core/time-zone.ts'
import type { Period } from '../contract.ts'

/** When a budget begins anew. `hours`: of a rolling window. */
export interface WindowRule {
  readonly period: Period
  readonly hours: number
  readonly time_zone: string
}

/** Times in Unix seconds. */
export interface BudgetWindow {
  /** Under which use of this moment is counted. */
  readonly start: number
  /** Use under this time or later counts towards the limit. */
  readonly since: number
  /** The first second of the next window; of a rolling one, of its next slice. */
  readonly end: number
}

const CACHED_MAX = 1000

/** Reads windows and keeps the current ones: the offsets of a zone take longer to read than a request may wait. */
export function createWindowReader(): typeof windowAt {
  const current = new Map<string, BudgetWindow>()
  return (rule, now) => {
    const key = `${rule.period} ${rule.hours} ${rule.time_zone}`
    const known = current.get(key)
    if (known && known.start <= now && now < known.end) return known
    if (current.size >= CACHED_MAX) current.clear()
    const window = windowAt(rule, now)
    current.set(key, window)
    return window
  }
}

const HOUR = 3600
const DAY = 24 * HOUR
/** A rolling window is this many slices and the one that just begins, so that it never forgets use too early. */
const SLICES = 60

export function windowAt(rule: WindowRule, now: number): BudgetWindow {
  if (rule.period === 'rolling') return slicedWindow(rule.hours, now)
  if (rule.period === 'none') return { ...calendarWindow('month', '', now), since: 0 }
  return calendarWindow(rule.period, rule.time_zone, now)
}

function slicedWindow(hours: number, now: number): BudgetWindow {
  const slice = (hours * HOUR) / SLICES
  const start = Math.floor(now / slice) * slice
  return { start, since: start - SLICES * slice, end: start + slice }
}

/** When something of what is used no longer counts. Undefined: never, or nothing is used. */
export function resetOf(
  { period, hours }: WindowRule,
  { end }: BudgetWindow,
  /** The beginning of the oldest use that counts. */
  oldest: number | undefined,
): number | undefined {
  if (period === 'none' || oldest === undefined) return undefined
  return period === 'rolling' ? oldest + hours * HOUR + (hours * HOUR) / SLICES : end
}

/** A window begins with the first second that has its date or hour on the clocks of the zone. */
function calendarWindow(period: CalendarPeriod, zone: string, now: number): BudgetWindow {
  const offsets = listOffsets(zone || 'UTC', offsetRange(period, now))
  const seconds = offsets.findLast(({ from }) => from <= now)?.seconds ?? 0
  const local = startOf(period, now + seconds)
  const start = instantOf(local, offsets)
  return { start, since: start, end: instantOf(endOf(period, local), offsets) }
}

type CalendarPeriod = Exclude<Period, 'none' | 'rolling'>

/** Longer than the longest window, to each side. */
const RANGE = { hour: 2 * DAY, day: 3 * DAY, week: 9 * DAY, month: 33 * DAY } as const
const offsetRange = (period: CalendarPeriod, now: number) => ({
  from: now - RANGE[period],
  until: now + RANGE[period],
})

const MS_PER_SECOND = 1000
/** The first Monday of 1970 was the fifth day. */
const FIRST_MONDAY = 4 * DAY
const WEEK = 7 * DAY

/** Local times are counted in seconds, as if their clocks showed UTC. */
function startOf(period: CalendarPeriod, local: number): number {
  if (period === 'month') return monthOf(local, 0)
  if (period === 'week') return local - ((((local - FIRST_MONDAY) % WEEK) + WEEK) % WEEK)
  return local - (local % (period === 'day' ? DAY : HOUR))
}

function endOf(period: CalendarPeriod, start: number): number {
  if (period === 'month') return monthOf(start, 1)
  return start + { hour: HOUR, day: DAY, week: WEEK }[period]
}

function monthOf(local: number, further: number): number {
  const date = new Date(local * MS_PER_SECOND)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further) / MS_PER_SECOND
}
