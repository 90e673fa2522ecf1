import type { Database } from '../../db/database.ts'
import type { Span } from '../../db/log-filter.ts'
import { countLogs, type LogRow, listLogs } from '../../db/log-reads.ts'
import { countByHour } from '../../db/usage-reads.ts'
import type { Wanted } from './filter-of.ts'
import { HOUR_SECONDS } from './range.ts'

/** Pages this deep are reached by going over the rows; deeper ones by the hours' counts. */
const WALKED_ROWS_MAX = 1000

export interface PageOfLogs {
  readonly rows: readonly LogRow[]
  readonly total: number
}

interface Place {
  readonly offset: number
  readonly limit: number
}

interface Counted extends Span {
  readonly count: number
}

/**
 * One page, newest first, and how many rows there are. The hours' counts give the total without going over the log,
 * and tell where a deep page begins and in which hours a rare page's rows stand.
 */
export async function pageOfLogs(db: Database, wanted: Wanted, place: Place): Promise<PageOfLogs> {
  if (wanted.filter.requestId !== '') return pageOfRequest(db, wanted, place)
  const parts = await countedParts(db, wanted)
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  const rows = await rowsAt(db, wanted, place, parts)
  const isLastPage = rows.length < place.limit && (rows.length > 0 || place.offset === 0)
  return {
    rows,
    total: isLastPage ? place.offset + rows.length : Math.max(total, place.offset + rows.length),
  }
}

async function pageOfRequest(db: Database, { filter, range }: Wanted, place: Place): Promise<PageOfLogs> {
  const rows = await listLogs(db, filter, { span: range, ...place })
  return { rows, total: await countLogs(db, filter, range) }
}

/** The range from its newest part to its oldest, each with its number of rows. */
async function countedParts(db: Database, { filter, range }: Wanted): Promise<readonly Counted[]> {
  const edges = await Promise.all(
    range.edges.map(async span => ({ ...span, count: await countLogs(db, filter, span) })),
  )
  const hours = await countByHour(db, filter, range.hours)
  const counted = hours.map(({ hour, count }) => ({ from: hour, until: hour + HOUR_SECONDS, count }))
  return [...edges, ...counted].sort((a, b) => b.from - a.from)
}

async function rowsAt(
  db: Database,
  { filter, range }: Wanted,
  place: Place,
  parts: readonly Counted[],
): Promise<readonly LogRow[]> {
  const narrow = narrowed(range, place, parts)
  const rows = await listLogs(db, filter, { ...narrow, limit: place.limit })
  const isWhole = rows.length === place.limit || narrow.span.from <= range.from
  return isWhole
    ? rows
    : listLogs(db, filter, { ...narrow, limit: place.limit, span: { ...narrow.span, from: range.from } })
}

/** The part of the range in which, by the counts, the page's rows stand, and the offset inside it. */
export function narrowed(range: Span, { offset, limit }: Place, parts: readonly Counted[]) {
  let before = 0
  let skipped = 0
  let until = range.until
  for (const part of parts) {
    if (offset > WALKED_ROWS_MAX && before + part.count <= offset) {
      skipped = before + part.count
      until = part.from
    }
    before += part.count
    if (before >= offset + limit)
      return { span: { from: Math.max(part.from, range.from), until }, offset: offset - skipped }
  }
  return { span: { from: range.from, until }, offset: offset - skipped }
}
