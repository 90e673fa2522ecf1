import { type RawBuilder, sql } from 'kysely'
import { sleepMs } from '../../core/clock.ts'
import { startOfHour } from '../../core/usage.ts'
import { type Database, inTransaction } from '../engine/database.ts'
import { type AnalyticsDeps, MINUTES_KEPT_SECONDS } from './count-requests.ts'
import { beginPart, finishPart, getCursor } from './cursors.ts'
import {
  insertDays,
  insertGatewayDays,
  insertGatewayHours,
  insertHours,
  type TimedTotals,
  TotalsMerger,
} from './totals.ts'
import { advanceRollUp, DAY_SECONDS, startOfDay } from './usage-days.ts'

type TotalsDeps = Pick<AnalyticsDeps, 'db' | 'reader' | 'signal'>

/** The id of a row in a part is the number of the part times this, plus its number within the part. */
export const PART_IDS = 1_000_000
/** Rows of the source in one part, which are merged in memory. */
const SOURCE_ROWS_MAX = 100_000
const ROWS_READ_AT_ONCE = 5000
const ROWS_WRITTEN_AT_ONCE = 250
const PAUSE_MS = 1
/** Requests wait for less than 1 ms while the rows are in memory. 1,000 rows take 15 ms then, and once took 298. */
const ROWS_DELETED_AT_ONCE = 50
/** Requests of a period may be counted after its end. */
const LATE_SECONDS = 60
/** Hours by user and token are kept for as long, and while log rows of their time are; days, and hours over all users, stay. */
const HOURS_KEPT_SECONDS = 35 * DAY_SECONDS
const PARTS_AT_ONCE_MAX = 10_000

/** Adds counted minutes of completed hours to the hours, and those of completed days to the days. Then deletes old ones. */
export async function rollUpTotals(deps: TotalsDeps, now: number): Promise<void> {
  for (const rollUp of [HOURS, DAYS])
    for (let parts = 0; parts < PARTS_AT_ONCE_MAX && (await addPart(deps, rollUp, now)); parts += 1);
  await deleteOldMinutes(deps, now)
  await deleteOldHours(deps, now)
}

type TotalsRow = TimedTotals & { readonly id: number }

interface RollUp {
  readonly name: 'hours' | 'days'
  startOf(seconds: number): number
  /** The last id of the next part; undefined while no period is complete. */
  findEnd(db: Database, done: number, completeUntil: number): Promise<number | undefined>
  /** The next rows with ids above `after`, up to `until`. */
  read(db: Database, after: number, until: number): Promise<readonly TotalsRow[]>
  write(tx: Database, rows: readonly TotalsRow[]): Promise<unknown>
  writeGateway(tx: Database, rows: readonly TotalsRow[]): Promise<unknown>
}

const HOURS: RollUp = {
  name: 'hours',
  startOf: startOfHour,
  findEnd: (db, done, completeUntil) =>
    findId(
      db,
      sql`select max(id) as id from analytics_minutes
        where id > ${done} and id <= ${done + SOURCE_ROWS_MAX} and minute < ${completeUntil}`,
    ),
  async read(db, after, until) {
    const { rows } = await sql<TotalsRow>`select *, minute as time from analytics_minutes
      where id > ${after} and id <= ${until} order by id limit ${ROWS_READ_AT_ONCE}`.execute(db)
    return rows
  },
  write: (tx, rows) =>
    insertHours(
      tx,
      rows.map(row => ({ ...row, hour: row.time })),
    ),
  writeGateway: (tx, rows) =>
    insertGatewayHours(
      tx,
      rows.map(row => ({ ...row, hour: row.time })),
    ),
}

/** Takes whole parts of the hours, because those with and without owners have ids of their own. */
const DAYS: RollUp = {
  name: 'days',
  startOf: startOfDay,
  async findEnd(db, done, completeUntil) {
    const { part } = await getCursor(db, 'hours')
    const complete = await findId(
      db,
      sql`select id from analytics_hours
        where id > ${done} and id < ${part * PART_IDS} and hour < ${completeUntil} limit 1`,
    )
    if (complete === undefined) return undefined
    const beyond = await findId(
      db,
      sql`select id from analytics_hours where id > ${done} and id < ${part * PART_IDS}
        order by id limit 1 offset ${SOURCE_ROWS_MAX}`,
    )
    const firstPart = Math.floor((done + 1) / PART_IDS)
    const parts = beyond === undefined ? part : Math.max(firstPart + 1, Math.floor(beyond / PART_IDS))
    return parts * PART_IDS - 1
  },
  async read(db, after, until) {
    const { rows } = await sql<TotalsRow>`select *, hour as time from analytics_hours
      where id > ${after} and id <= ${until} order by id limit ${ROWS_READ_AT_ONCE}`.execute(db)
    return rows
  },
  write: (tx, rows) =>
    insertDays(
      tx,
      rows.map(row => ({ ...row, day: row.time })),
    ),
  writeGateway: (tx, rows) =>
    insertGatewayDays(
      tx,
      rows.map(row => ({ ...row, day: row.time })),
    ),
}

async function findId(db: Database, query: RawBuilder<{ id: number | null }>): Promise<number | undefined> {
  const { rows } = await query.execute(db)
  const id = rows[0]?.id
  return id === null || id === undefined ? undefined : Number(id)
}

/**
 * Writes the next part and lets it count. A part that was interrupted is written again first: the same rows under the same
 * ids, by whichever process. False when there is none.
 */
async function addPart(deps: TotalsDeps, rollUp: RollUp, now: number): Promise<boolean> {
  const { db, reader } = deps
  const cursor = await getCursor(db, rollUp.name)
  if (cursor.next <= cursor.done) {
    const completeUntil = rollUp.startOf(now - LATE_SECONDS)
    const end = await rollUp.findEnd(reader, cursor.done, completeUntil)
    return end !== undefined && (await beginPart(db, cursor, end))
  }
  const owners = new TotalsMerger(rollUp.startOf, true)
  const gateway = new TotalsMerger(rollUp.startOf, false)
  let last = cursor.done
  for (;;) {
    const rows = await rollUp.read(reader, last, cursor.next)
    for (const row of rows) {
      owners.add(row)
      gateway.add(row)
    }
    deps.signal?.throwIfAborted()
    if (rows.length < ROWS_READ_AT_ONCE) break
    last = rows.at(-1)?.id ?? cursor.next
  }
  await writePart(deps, cursor.part, { rows: owners.rows(), write: rollUp.write })
  await writePart(deps, cursor.part, { rows: gateway.rows(), write: rollUp.writeGateway })
  await finishPart(db, cursor)
  return true
}

interface PartRows {
  readonly rows: readonly TimedTotals[]
  readonly write: (tx: Database, rows: readonly TotalsRow[]) => Promise<unknown>
}

/** In short transactions, so that requests do not wait. */
async function writePart({ db, signal }: TotalsDeps, part: number, { rows, write }: PartRows): Promise<void> {
  const numbered = rows.map((row, index) => ({ ...row, id: part * PART_IDS + index }))
  for (let start = 0; start < numbered.length; start += ROWS_WRITTEN_AT_ONCE) {
    signal?.throwIfAborted()
    await inTransaction(db, tx => write(tx, numbered.slice(start, start + ROWS_WRITTEN_AT_ONCE)))
    await sleepMs(PAUSE_MS)
  }
}

async function deleteOldMinutes(deps: TotalsDeps, now: number): Promise<void> {
  const { done } = await getCursor(deps.db, 'hours')
  await deleteInBatches(
    deps,
    () => sql`delete from analytics_minutes where id in (select id from analytics_minutes
      where minute < ${now - MINUTES_KEPT_SECONDS} and id <= ${done} limit ${ROWS_DELETED_AT_ONCE})`,
  )
}

async function deleteOldHours(deps: TotalsDeps, now: number): Promise<void> {
  const { done } = await getCursor(deps.db, 'days')
  const logs = deps.reader.selectFrom('logs').select('created_at').orderBy('created_at').orderBy('id')
  const oldest = (await logs.limit(1).executeTakeFirst())?.created_at ?? now
  const until = startOfDay(Math.min(now - HOURS_KEPT_SECONDS, oldest))
  // First, so that no report reads a part of a day.
  await advanceRollUp(deps.db, 'analytics_hours', until)
  await deleteInBatches(
    deps,
    () => sql`delete from analytics_hours where id in (select id from analytics_hours
      where hour < ${until} and id <= ${done} limit ${ROWS_DELETED_AT_ONCE})`,
  )
}

async function deleteInBatches(
  { db, signal }: TotalsDeps,
  statement: () => RawBuilder<unknown>,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const { numAffectedRows = 0n } = await statement().execute(db)
    if (numAffectedRows === 0n) return
    await sleepMs(PAUSE_MS)
  }
}
