/** From which Unix second on a zone is how many seconds ahead of UTC. */
export interface OffsetChange {
  readonly from: number
  readonly seconds: number
}

const DAY_SECONDS = 86_400

/** The week of a period may have begun days before it. */
const DAYS_BEFORE = 8

/**
 * The offsets by which the days of a period begin: of the zone that the query names, else by its minutes, and for a query
 * without either of the gateway's own zone.
 */
export function dayOffsets(
  { time_zone, utc_offset }: { readonly time_zone: string; readonly utc_offset: number },
  { from, until }: { readonly from: number; readonly until: number },
  ownZone: string,
): readonly OffsetChange[] {
  const zone = time_zone || (utc_offset === 0 ? ownZone : '')
  if (zone === '') return [{ from: Number.NEGATIVE_INFINITY, seconds: utc_offset * 60 }]
  return listOffsets(zone, { from: from - DAYS_BEFORE * DAY_SECONDS, until: until + DAY_SECONDS })
}

/** The offsets of a zone within a period, the first of which also counts before it. */
export function listOffsets(
  timeZone: string,
  { from, until }: { readonly from: number; readonly until: number },
): readonly OffsetChange[] {
  const offsetAt = createOffsetReader(timeZone)
  const changes = [{ from: Number.NEGATIVE_INFINITY, seconds: offsetAt(from) }]
  for (let before = from; before < until; before += DAY_SECONDS) {
    let [low, high] = [before, before + DAY_SECONDS]
    if (offsetAt(low) === offsetAt(high)) continue
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === offsetAt(low)) low = middle
      else high = middle
    }
    changes.push({ from: high, seconds: offsetAt(high) })
  }
  return changes
}

function createOffsetReader(timeZone: string): (seconds: number) => number {
  const figures = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  const style = Object.fromEntries(figures.map(figure => [figure, 'numeric']))
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', ...style })
  return seconds => {
    const parts = new Map(
      format.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]),
    )
    const [year = 0, month = 1, day, hour, minute, second] = figures.map(figure => parts.get(figure))
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - seconds
  }
}

/** The instant of a local time: the earlier one of two, and where clocks skip it the moment at which they do. */
export function instantOf(local: number, offsets: readonly OffsetChange[]): number {
  for (const [index, { from, seconds }] of offsets.entries()) {
    const end = offsets[index + 1]?.from ?? Number.POSITIVE_INFINITY
    if (local - seconds < end) return Math.max(local - seconds, from)
  }
  return local
}
