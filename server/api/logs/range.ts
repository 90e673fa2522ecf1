import type { TimeRange } from '../../db/log-filter.ts'

export const HOUR_SECONDS = 3600
/** Beyond every time that a row can have. */
const OPEN_END = 1e12

export interface Range extends TimeRange {
  /** The hours that lie wholly inside: their sums stand ready. */
  readonly hours: TimeRange
  /** What is left at both ends, each shorter than an hour: its rows are counted one by one. */
  readonly edges: readonly TimeRange[]
}

const hourAtOrBefore = (seconds: number): number => Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS
const hourAtOrAfter = (seconds: number): number => Math.ceil(seconds / HOUR_SECONDS) * HOUR_SECONDS

/**
 * Cuts the time asked for (both ends included; 0 open) into whole hours and edges. What lies before `oldest` has no
 * rows; an end that is not yet over is open.
 */
export function rangeOf(start: number, end: number, { oldest, now }: { oldest: number; now: number }): Range {
  const from = Math.max(start, oldest)
  const until = Math.max(end === 0 || end >= now ? OPEN_END : end + 1, from)
  const hours = { from: hourAtOrAfter(from), until: until === OPEN_END ? until : hourAtOrBefore(until) }
  if (hours.from >= hours.until)
    return { from, until, hours: { from, until: from }, edges: halves({ from, until }, hours.from) }
  const edges = [
    { from, until: hours.from },
    { from: hours.until, until },
  ]
  return { from, until, hours, edges: edges.filter(isNotEmpty) }
}

/** A span without a whole hour may still reach across one full hour. */
const halves = ({ from, until }: TimeRange, at: number): readonly TimeRange[] =>
  [
    { from, until: Math.min(at, until) },
    { from: Math.min(at, until), until },
  ].filter(isNotEmpty)

const isNotEmpty = ({ from, until }: TimeRange): boolean => from < until

/** The whole hours that the range touches: for charts, which show hours. An empty range touches none. */
export const touchedHours = ({ from, until }: TimeRange): TimeRange => {
  if (from >= until) return { from, until: from }
  return { from: hourAtOrBefore(from), until: until === OPEN_END ? until : hourAtOrAfter(until) }
}
