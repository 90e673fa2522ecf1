import { type Range, type TimeSpan, spanFromSearch } from '../../app/time/ranges.ts'
import type { Measure, Step } from './search.ts'

/** What ordinary users may ask for at once: thirty days. */
export const OWN_SECONDS_MAX = 30 * 24 * 3600

const FIRST_RANGE: Readonly<Record<Step, Range>> = { hour: '24h', day: '7d', week: '30d' }

/** A step of the installation that is none counts as hours. */
export const stepOf = (text: string): Step => (text === 'day' || text === 'week' ? text : 'hour')

/** How far back a step looks at first. */
export const rangeOf = (step: Step): Range => FIRST_RANGE[step]

/** Unix seconds; both ends are moments, an open end is now. */
export interface Period {
  readonly start: number
  readonly end: number
  /** It was longer than this reader may ask for. */
  readonly isCut: boolean
}

interface Wanted {
  readonly range: Range
  readonly from: string
  readonly to: string
}

/** The stretch that an address asks for, cut to what the reader may see. */
export function periodOf(wanted: Wanted, isAdmin: boolean, now: number): Period {
  const span: TimeSpan = spanFromSearch(wanted, now)
  const end = span.end === 0 ? now : span.end
  const least = end - OWN_SECONDS_MAX
  return isAdmin || span.start >= least
    ? { start: span.start, end, isCut: false }
    : { start: least, end, isCut: true }
}

/** The stretch of the same length before it. */
export const periodBefore = ({ start, end }: Period): Period => ({
  start: start - (end - start),
  end: start - 1,
  isCut: false,
})

export type Sums = Readonly<Record<Measure, number>>
