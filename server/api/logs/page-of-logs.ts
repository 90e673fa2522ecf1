import type { Database } from '../../db/database.ts'
import type { TimeRange } from '../../db/log-filter.ts'
import { countLogs, type LogRow, listLogs } from '../../db/log-reads.ts'
import { countByDay, splitAtDays, DAY_SECONDS, chooseDayTable, findRolledUpUntil } from '../../db/usage-days.ts'
import { countByHour } from '../../db/usage-reads.ts'
import type { Wanted } from './filter-of.ts'
import { HOUR_SECONDS } from './range.ts'

/** Going over so many rows to a page is still quick. */
const WALKED_ROWS_MAX = 1000

export interface PageOfLogs {
  readonly rows: readonly LogRow[]
  readonly total: number
}

interface Place {
  readonly offset: number
  readonly limit: number
}

interface Counted extends TimeRange {
  readonly count: number
}

/**
 * One page, newest first, and how many rows there are. The hours' counts give the total without going over the log,
 * and tell where a deep page begins and in which hours a rare page's rows stand.
 */
export async function pageOfLogs(db: Database, wanted: Wanted, place: Place): Promise<PageOfLogs> {
  if (wanted.filter.requestId !== '') return pageOfRequest(db, wanted, place)
  const parts = await cutWhereNeeded(db, wanted, place, await countedParts(db, wanted))
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  const rows = await rowsAt(db, wanted, place, parts)
  const isLastPage = rows.length < place.limit && (rows.length > 0 || place.offset === 0)
  return {
    rows,
    total: isLastPage ? place.offset + rows.length : Math.max(total, place.offset + rows.length),
  }
}

async function pageOfRequest(db: Database, { filter, range }: Wanted, place: Place): Promise<PageOfLogs> {
  const rows = await listLogs(db, filter, { range: range, ...place })
  return { rows, total: await countLogs(db, filter, range) }
}

/** The range from its newest part to its oldest, each with its number of rows: days where they are summed up. */
async function countedParts(db: Database, { filter, range }: Wanted): Promise<readonly Counted[]> {
  const { days, hours } = splitAtDays(range.hours, await findRolledUpUntil(db, chooseDayTable(filter)))
  const edges = range.edges.map(async span => ({ ...span, count: await countLogs(db, filter, span) }))
  const counted = await Promise.all([
    Promise.all(edges),
    ...hours.map(span => countedHours(db, filter, span)),
    countByDay(db, filter, days).then(found =>
      found.map(({ day, count }) => ({ from: day, until: day + DAY_SECONDS, count })),
    ),
  ])
  return counted.flat().sort((a, b) => b.from - a.from)
}

async function countedHours(db: Database, filter: Wanted['filter'], span: TimeRange): Promise<readonly Counted[]> {
  if (span.from >= span.until) return []
  const hours = await countByHour(db, filter, span)
  return hours.map(({ hour, count }) => ({ from: hour, until: hour + HOUR_SECONDS, count }))
}

/** The same parts with the days in which the page stands cut into their hours. */
async function cutWhereNeeded(
  db: Database,
  { filter }: Wanted,
  place: Place,
  parts: readonly Counted[],
): Promise<readonly Counted[]> {
  const touched = new Set(slicesOf(parts, place).map(({ span }) => span.from))
  const cut = parts.map(part =>
    touched.has(part.from) && part.until - part.from === DAY_SECONDS
      ? countedHours(db, filter, part)
      : Promise.resolve([part]),
  )
  return (await Promise.all(cut)).flat()
}

/**
 * Reads the page from the hours in which it stands by their counts. Where rows are missing, because their hour was
 * counted while consumption was not logged, a page near the front is read by going over the rows.
 */
async function rowsAt(
  db: Database,
  { filter, range }: Wanted,
  place: Place,
  parts: readonly Counted[],
): Promise<readonly LogRow[]> {
  const slices = slicesOf(parts, place)
  const rows: LogRow[] = []
  for (const slice of slices) rows.push(...(await listLogs(db, filter, slice)))
  const promised = slices.reduce((sum, slice) => sum + slice.limit, 0)
  if (rows.length === promised || place.offset > WALKED_ROWS_MAX) return rows
  return listLogs(db, filter, { range: range, ...place })
}

export interface Slice extends Place {
  readonly span: TimeRange
}

/** The slices of the parts, newest first, that together are the page. */
export function slicesOf(parts: readonly Counted[], { offset, limit }: Place): readonly Slice[] {
  const slices: Slice[] = []
  let before = 0
  let left = limit
  for (const { from, until, count } of parts) {
    const inside = Math.max(offset - before, 0)
    const taken = Math.min(count - inside, left)
    if (taken > 0) {
      slices.push({ span: { from, until }, offset: inside, limit: taken })
      left -= taken
    }
    before += count
    if (left === 0) break
  }
  return slices
}
