import type { Database } from '../../db/engine/database.ts'
import { ALL_LOGS, type TimeRange } from '../../db/logs/log-filter.ts'
import { countLogs, type LogRow, listLogs, listLogsByPrefix } from '../../db/logs/log-reads.ts'
import {
  chooseDayTable,
  countByDay,
  DAY_SECONDS,
  findRolledUpUntil,
  splitAtDays,
} from '../../db/usage/usage-days.ts'
import { countByHour } from '../../db/usage/usage-reads.ts'
import { HOUR_SECONDS, type LogSelection } from './filter.ts'

/** Going over so many rows to a page is still quick. */
const OFFSET_SCAN_ROWS_MAX = 1000

export interface LogRowPage {
  readonly rows: readonly LogRow[]
  readonly total: number
}

interface PageWindow {
  readonly offset: number
  readonly limit: number
}

interface CountedPart extends TimeRange {
  readonly count: number
}

/**
 * One page, newest first, and how many rows there are. The hours' counts give the total without going over the log,
 * and tell where a deep page begins and in which hours a rare page's rows stand.
 */
export async function listLogPage(
  db: Database,
  wanted: LogSelection,
  place: PageWindow,
): Promise<LogRowPage> {
  if (wanted.filter.requestId !== '') return listRequestPage(db, wanted, place)
  const parts = await splitPageDays(db, wanted, place, await countParts(db, wanted))
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  const rows = await readPage(db, wanted, place, parts)
  const isLastPage = rows.length < place.limit && (rows.length > 0 || place.offset === 0)
  return {
    rows,
    total: isLastPage ? place.offset + rows.length : Math.max(total, place.offset + rows.length),
  }
}

async function listRequestPage(
  db: Database,
  { filter, range }: LogSelection,
  place: PageWindow,
): Promise<LogRowPage> {
  const rows = await listLogs(db, filter, { range, ...place })
  return { rows, total: await countLogs(db, filter, range) }
}

/** The range from its newest part to its oldest, each with its number of rows: days where they are summed up. */
async function countParts(db: Database, { filter, range }: LogSelection): Promise<readonly CountedPart[]> {
  const { days, hours } = splitAtDays(range.hours, await findRolledUpUntil(db, chooseDayTable(filter)))
  const edges = range.edges.map(async span => ({ ...span, count: await countLogs(db, filter, span) }))
  const counted = await Promise.all([
    Promise.all(edges),
    ...hours.map(span => countHours(db, filter, span)),
    countByDay(db, filter, days).then(found =>
      found.map(({ day, count }) => ({ from: day, until: day + DAY_SECONDS, count })),
    ),
  ])
  return counted.flat().sort((a, b) => b.from - a.from)
}

async function countHours(
  db: Database,
  filter: LogSelection['filter'],
  span: TimeRange,
): Promise<readonly CountedPart[]> {
  if (span.from >= span.until) return []
  const hours = await countByHour(db, filter, span)
  return hours.map(({ hour, count }) => ({ from: hour, until: hour + HOUR_SECONDS, count }))
}

/** The same parts with the days in which the page stands cut into their hours. */
async function splitPageDays(
  db: Database,
  { filter }: LogSelection,
  place: PageWindow,
  parts: readonly CountedPart[],
): Promise<readonly CountedPart[]> {
  const touched = new Set(toSlices(parts, place).map(({ range }) => range.from))
  const cut = parts.map(part =>
    touched.has(part.from) && part.until - part.from === DAY_SECONDS
      ? countHours(db, filter, part)
      : Promise.resolve([part]),
  )
  return (await Promise.all(cut)).flat()
}

/**
 * Reads the page from the hours in which it stands by their counts. Where rows are missing, because their hour was
 * counted while consumption was not logged, a page near the front is read by going over the rows.
 */
async function readPage(
  db: Database,
  { filter, range }: LogSelection,
  place: PageWindow,
  parts: readonly CountedPart[],
): Promise<readonly LogRow[]> {
  const slices = toSlices(parts, place)
  const rows: LogRow[] = []
  for (const slice of slices) rows.push(...(await listLogs(db, filter, slice)))
  const promised = slices.reduce((sum, slice) => sum + slice.limit, 0)
  if (rows.length === promised || place.offset > OFFSET_SCAN_ROWS_MAX) return rows
  return listLogs(db, filter, { range, ...place })
}

export interface PageSlice extends PageWindow {
  readonly range: TimeRange
}

/** The slices of the parts, newest first, that together are the page. */
export function toSlices(parts: readonly CountedPart[], { offset, limit }: PageWindow): readonly PageSlice[] {
  const slices: PageSlice[] = []
  let before = 0
  let left = limit
  for (const { from, until, count } of parts) {
    const inside = Math.max(offset - before, 0)
    const taken = Math.min(count - inside, left)
    if (taken > 0) {
      slices.push({ range: { from, until }, offset: inside, limit: taken })
      left -= taken
    }
    before += count
    if (left === 0) break
  }
  return slices
}

const ROWS_MAX = 100
const ROWS_LOOKED_AT_MAX = 20_000
const ALL_TIME = { from: 0, until: Number.MAX_SAFE_INTEGER }
const LOG_TYPE = /^\d$/

/** The newest rows of a type, or whose text begins with the keyword; of one user, or of all. */
export function searchLogs(db: Database, keyword: string, userId?: number): Promise<LogRow[]> {
  if (LOG_TYPE.test(keyword)) {
    const filter = {
      ...ALL_LOGS,
      types: [Number(keyword)],
      ...(userId !== undefined && { userIds: [userId] }),
    }
    return listLogs(db, filter, { range: ALL_TIME, offset: 0, limit: ROWS_MAX })
  }
  const wanted = { beginning: keyword, userId }
  return listLogsByPrefix(db, wanted, { lookedAt: ROWS_LOOKED_AT_MAX, limit: ROWS_MAX })
}
