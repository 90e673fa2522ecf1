/** So many events of a subject in any stretch of so many milliseconds. */
export interface RateLimit {
  /** Keeps the counts of different limits apart. */
  readonly name: string
  readonly limit: number
  readonly windowMs: number
}

/** What became of asking for a place in a window. */
export interface Place {
  /** There was room, and one place is taken now. */
  readonly isFree: boolean
  /** Places left after this one. */
  readonly left: number
  /** Until there is room again; 0 when there was. */
  readonly waitMs: number
  /** The slice of time that the place is counted in. */
  readonly slice: number
}

/** Counts events by subject. Many who ask at once never get more places than there are. */
export interface RateWindows {
  take(limit: RateLimit, subject: string): Promise<Place>
  /** What `take` would give now, taking nothing. */
  look(limit: RateLimit, subject: string): Promise<Place>
  /** Makes a place free again that turned out not to count. */
  giveBack(limit: RateLimit, subject: string, place: Place): Promise<void>
  close(): Promise<void>
}

/** Events by slice of time. */
export type Slices = readonly (readonly [slice: number, count: number])[]

/**
 * A window is kept as counts of sixty slices, not as a list of times, so that a limit of a million costs no more than
 * one of ten. The slice that a window begins in counts whole: never too many get through, some wait a sixtieth longer.
 */
const SLICES = 60

export const sliceMsOf = ({ windowMs }: RateLimit): number => Math.max(1, windowMs / SLICES)
export const sliceAt = (limit: RateLimit, ms: number): number => Math.floor(ms / sliceMsOf(limit))
export const oldestSliceAt = (limit: RateLimit, ms: number): number => sliceAt(limit, ms) - SLICES
/** What lies further ahead was counted before the clock was set back: it would lock its subject out until that time comes again. */
export const newestSliceAt = (limit: RateLimit, ms: number): number => sliceAt(limit, ms) + SLICES
/** How long counts are of any use. */
export const keptMsOf = (limit: RateLimit): number => sliceMsOf(limit) * (SLICES + 1)

/** What asking gives, by the events before it. */
export function placeAfter(before: Slices, limit: RateLimit, nowMs: number): Place {
  const [oldest, newest] = [oldestSliceAt(limit, nowMs), newestSliceAt(limit, nowMs)]
  const counted = before.filter(([slice]) => slice >= oldest && slice <= newest).toSorted(([a], [b]) => a - b)
  let used = counted.reduce((sum, [, count]) => sum + count, 0)
  const slice = sliceAt(limit, nowMs)
  if (used < limit.limit) return { isFree: true, left: limit.limit - used - 1, waitMs: 0, slice }
  let roomAtSlice = slice
  for (const [passing, count] of counted) {
    if (used < limit.limit) break
    used -= count
    roomAtSlice = passing + SLICES + 1
  }
  return { isFree: false, left: 0, waitMs: roomAtSlice * sliceMsOf(limit) - nowMs, slice }
}

/** The events before one that was counted in this slice. */
export const withoutOne = (slices: Slices, counted: number): Slices =>
  slices.map(([slice, count]) => [slice, slice === counted ? count - 1 : count])
