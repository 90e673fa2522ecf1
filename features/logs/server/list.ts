import type { Database } from '#server/db/engine/database.ts'
import { ALL_LOGS, selectsRows, type TimeRange } from '#server/db/logs/log-filter.ts'
import { DAY_SECONDS, findRolledUpUntil, splitAtDays } from '#server/db/usage/usage-days.ts'
import { HOUR_SECONDS } from '#server/db/usage/usage-hours.ts'
import type { LogSelection } from './filter.ts'
import { countLogs, type LogRow, listLogs, listLogsByPrefix } from './queries/log-reads.ts'
import { chooseDayTable, countByDay, countByHour } from './queries/usage-reads.ts'

/** Skipping this many rows with OFFSET is still fast. */
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
 * Lists one page, newest first, with the total. Hourly counts give the total without scanning the log, and locate the
 * hours that contain a deep page or the few rows of a selective filter.
 */
export async function listLogPage(
  db: Database,
  selection: LogSelection,
  window: PageWindow,
): Promise<LogRowPage> {
  const { filter } = selection
  if (filter.requestId !== '' || selectsRows(filter)) return listCountedPage(db, selection, window)
  const parts = await splitPageDays(db, selection, window, await countParts(db, selection))
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  const rows = await readPage(db, selection, window, parts)
  const isLastPage = rows.length < window.limit && (rows.length > 0 || window.offset === 0)
  return {
    rows,
    total: isLastPage ? window.offset + rows.length : Math.max(total, window.offset + rows.length),
  }
}

/** For filters that an index of their own serves. */
async function listCountedPage(
  db: Database,
  { filter, range }: LogSelection,
  window: PageWindow,
): Promise<LogRowPage> {
  const rows = await listLogs(db, filter, { range, ...window })
  return { rows, total: await countLogs(db, filter, range) }
}

/** The row counts of the range, newest part first: whole days where daily sums exist, else hours, else the edges. */
async function countParts(db: Database, { filter, range }: LogSelection): Promise<readonly CountedPart[]> {
  const table = chooseDayTable(filter)
  const { days, hours } = splitAtDays(range.hours, await findRolledUpUntil(db, table))
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

/** Splits the days that contain rows of the page into hours, so that less has to be read. */
async function splitPageDays(
  db: Database,
  { filter }: LogSelection,
  window: PageWindow,
  parts: readonly CountedPart[],
): Promise<readonly CountedPart[]> {
  const touched = new Set(toSlices(parts, window).map(({ range }) => range.from))
  const cut = parts.map(part =>
    touched.has(part.from) && part.until - part.from === DAY_SECONDS
      ? countHours(db, filter, part)
      : Promise.resolve([part]),
  )
  return (await Promise.all(cut)).flat()
}

/**
 * Reads the page from the hours that contain it by their counts. Hours are counted even while `LogConsumeEnabled` is
 * off, so rows may be missing: a page near the front is then read with a plain OFFSET.
 */
async function readPage(
  db: Database,
  { filter, range }: LogSelection,
  window: PageWindow,
  parts: readonly CountedPart[],
): Promise<readonly LogRow[]> {
  const slices = toSlices(parts, window)
  const rows: LogRow[] = []
  for (const slice of slices) rows.push(...(await listLogs(db, filter, slice)))
  const expected = slices.reduce((sum, slice) => sum + slice.limit, 0)
  if (rows.length === expected || window.offset > OFFSET_SCAN_ROWS_MAX) return rows
  return listLogs(db, filter, { range, ...window })
}

export interface PageSlice extends PageWindow {
  readonly range: TimeRange
}

/** The slices of the parts, newest first, that together make up the page. */
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

const SEARCH_ROWS_MAX = 100
const SEARCH_SCAN_ROWS_MAX = 20_000
const ALL_TIME = { from: 0, until: Number.MAX_SAFE_INTEGER }

const LOG_TYPE_DIGIT = /^\d$/

/** Finds the newest rows of a type (a digit), or whose text begins with the keyword; of one user or of all. */
export function searchLogs(db: Database, keyword: string, userId?: number): Promise<LogRow[]> {
  if (LOG_TYPE_DIGIT.test(keyword)) {
    const filter = {
      ...ALL_LOGS,
      types: [Number(keyword)],
      ...(userId !== undefined && { userIds: [userId] }),
    }
    return listLogs(db, filter, { range: ALL_TIME, offset: 0, limit: SEARCH_ROWS_MAX })
  }
  return listLogsByPrefix(
    db,
    { prefix: keyword, userId },
    { rowsScanned: SEARCH_SCAN_ROWS_MAX, limit: SEARCH_ROWS_MAX },
  )
}
