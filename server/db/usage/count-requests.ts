import { type RawBuilder, sql } from 'kysely'
import { sleepMs } from '../../core/clock.ts'
import { LOG_GAMMA, VALUE_MAX } from '../../core/sketch.ts'
import { type Database, inTransaction } from '../engine/database.ts'
import { isCall, isFailure } from '../logs/log-filter.ts'
import type { Engine } from '../migrations/migration.ts'
import { CommittedLogs } from './committed-logs.ts'
import { getCursor, moveCursor } from './cursors.ts'
import {
  insertMinutes,
  OWNER_KEY,
  SUM_COLUMNS,
  type TimedTotals,
  TotalsMerger,
  withNumbers,
} from './totals.ts'

export interface AnalyticsDeps {
  readonly db: Database
  readonly engine: Engine
  /** Reads log rows and receipts, apart from requests. */
  readonly reader: Database
  /** Ends the work between two transactions: it throws the reason, and the next call continues. */
  readonly signal?: AbortSignal
}

/** Requests wait for a transaction: about 5 ms. */
const ROWS_AT_ONCE = 500
const PAUSE_MS = 2
const EARLIER_ROWS_AT_ONCE = 100_000
const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3600
const QUARTER_SECONDS = 900
/** Minutes are kept for as long; earlier rows are counted by the quarter of an hour at once. */
export const MINUTES_KEPT_SECONDS = 48 * HOUR_SECONDS

/**
 * Counts log rows with ids up to `until`, which must all be committed, and requests without rows. Each is counted once,
 * however many processes count and whenever they are interrupted.
 */
export async function countNewRequests(deps: AnalyticsDeps, until: number, now: number): Promise<void> {
  for (;;) {
    const { done } = await getCursor(deps.db, 'requests')
    // Asks no reader in vain: without work its process ends.
    if (done >= until) break
    const first = await findNextId(deps.reader, done, until)
    if (first === undefined) break
    const next = Math.min(until, first - 1 + ROWS_AT_ONCE)
    const rows = await readTotals(deps, logSource(done, next), now)
    await write(deps, rows, tx => moveCursor(tx, 'requests', done, next))
  }
  while ((await countUnlogged(deps, now)) > 0);
}

/** Counts at most `rows` of the log rows that were there before the first count, newest first. Returns whether some are left. */
export async function countEarlierRequests(deps: AnalyticsDeps, rows: number, now: number): Promise<boolean> {
  for (let counted = 0; counted < rows; counted += ROWS_AT_ONCE) {
    const { done } = await getCursor(deps.db, 'earlier')
    if (done === 0) return false
    const last = await findPreviousId(deps.reader, done)
    const next = last === undefined ? 0 : Math.max(0, last - ROWS_AT_ONCE)
    const totals = last === undefined ? [] : await readTotals(deps, logSource(next, done), now)
    await write(deps, totals, tx => moveCursor(tx, 'earlier', done, next))
  }
  return true
}

/** Counts all remaining rows, so that they may be deleted. */
export async function countAllRequests(deps: AnalyticsDeps, now: number): Promise<void> {
  await countNewRequests(deps, await new CommittedLogs(deps.engine).findAll(deps.db), now)
  while (await countEarlierRequests(deps, EARLIER_ROWS_AT_ONCE, now));
}

async function write(
  { db, signal }: AnalyticsDeps,
  rows: readonly TimedTotals[],
  claim: (tx: Database) => Promise<boolean>,
): Promise<void> {
  signal?.throwIfAborted()
  await inTransaction(db, async tx => {
    if (!(await claim(tx))) return
    await insertMinutes(
      tx,
      rows.map(row => ({ ...row, minute: row.time })),
    )
  })
  await sleepMs(PAUSE_MS)
}

async function countUnlogged(deps: AnalyticsDeps, now: number): Promise<number> {
  const found = await deps.db
    .selectFrom('unlogged_requests')
    .select('id')
    .orderBy('id')
    .limit(ROWS_AT_ONCE)
    .execute()
  if (found.length === 0) return 0
  const ids = found.map(({ id }) => id)
  const source = sql`(select * from unlogged_requests where id in (${sql.join(ids)}))`
  const rows = await readTotals(deps, source, now)
  await write(deps, rows, tx => deleteAll(tx, ids))
  return ids.length
}

/** False when another process counts or counted some of them: whoever deletes holds the row of the cursor. */
async function deleteAll(tx: Database, ids: readonly number[]): Promise<boolean> {
  const { done } = await getCursor(tx, 'requests')
  if (!(await moveCursor(tx, 'requests', done, done))) return false
  const found = await tx.selectFrom('unlogged_requests').select('id').where('id', 'in', ids).execute()
  if (found.length < ids.length) return false
  await tx.deleteFrom('unlogged_requests').where('id', 'in', ids).execute()
  return true
}

async function findNextId(db: Database, after: number, until: number): Promise<number | undefined> {
  const query = db.selectFrom('logs').select('id').where('id', '>', after).where('id', '<=', until)
  const row = await query.orderBy('id').limit(1).executeTakeFirst()
  return row?.id
}

async function findPreviousId(db: Database, upTo: number): Promise<number | undefined> {
  const query = db.selectFrom('logs').select('id').where('id', '<=', upTo)
  const row = await query.orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id
}

const logSource = (after: number, until: number): RawBuilder<unknown> =>
  sql`(select logs.*, receipts.body from logs left join receipts on receipts.log_id = logs.id
    where logs.id > ${after} and logs.id <= ${until})`

/** The totals of the source's requests by minute, earlier ones by quarter of an hour. */
async function readTotals(
  { reader, engine }: AnalyticsDeps,
  source: RawBuilder<unknown>,
  now: number,
): Promise<TimedTotals[]> {
  const receipt = RECEIPTS[engine]
  const { rows } = await sql<TimedTotals>`
    with facts as (${requestFacts(source, engine, [], now - MINUTES_KEPT_SECONDS)})
    select time, ${sql.join(OWNER_KEY.map(name => sql.ref(name)))}, ${SUMS_OF_FACTS},
      coalesce(${receipt.list(sql`first_token`)}, '') as first_token,
      coalesce(${receipt.list(sql`duration`)}, '') as duration
    from facts group by time, ${sql.join(OWNER_KEY.map(name => sql.ref(name)))}`.execute(reader)
  const merger = new TotalsMerger(seconds => seconds, true)
  for (const row of rows) merger.add(withNumbers(row))
  return merger.rows()
}

const SUMS_OF_FACTS = sql.join(
  SUM_COLUMNS.map(name => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`),
)

/** Reads values of receipts, which are JSON text. */
interface ReceiptReader {
  /** The number at a path of members; null where there is none. */
  number(...path: readonly string[]): RawBuilder<unknown>
  /** The text at a path of members; empty where there is none. */
  text(...path: readonly string[]): RawBuilder<unknown>
  /** All values of a group that are not null, separated by commas. */
  list(value: RawBuilder<unknown>): RawBuilder<unknown>
}

const TEXT_CHARS_MAX = sql.lit(40)

const sqlitePath = (path: readonly string[]) => sql.lit(`$.${path.join('.')}`)
const postgresPath = (path: readonly string[]) => sql.lit(`{${path.join(',')}}`)

const RECEIPTS: Readonly<Record<Engine, ReceiptReader>> = {
  sqlite: {
    number: (...path) => sql`cast(json_extract(body, ${sqlitePath(path)}) as integer)`,
    text: (...path) =>
      sql`coalesce(substr(json_extract(body, ${sqlitePath(path)}), 1, ${TEXT_CHARS_MAX}), '')`,
    list: value => sql`group_concat(${value})`,
  },
  postgres: {
    number: (...path) => sql`cast(cast(cast(body as json) #>> ${postgresPath(path)} as numeric) as bigint)`,
    // PostgreSQL rejects an escaped NUL only where it is read as text.
    text: (...path) => sql`case when body like '%\\u0000%' then ''
      else coalesce(substr(cast(body as json) #>> ${postgresPath(path)}, 1, ${TEXT_CHARS_MAX}), '') end`,
    list: value => sql`string_agg(cast(${value} as text), ',')`,
  },
}

/** One row per request of the source, with its period, the columns of the totals, and more of the source. */
export function requestFacts(
  source: RawBuilder<unknown>,
  engine: Engine,
  more: readonly string[],
  minutesFrom = 0,
): RawBuilder<unknown> {
  const receipt = RECEIPTS[engine]
  const tokens = (...buckets: readonly string[]) =>
    sql.join(
      buckets.map(bucket => sql`coalesce(${receipt.number('usage', bucket)}, 0)`),
      sql` + `,
    )
  const hasUsage = sql`${receipt.number('use_ms')} is not null`
  const cost = receipt.number('cost_nanos')
  return sql`select case when created_at >= ${minutesFrom}
        then created_at - created_at % ${sql.lit(MINUTE_SECONDS)}
        else created_at - created_at % ${sql.lit(QUARTER_SECONDS)} end as time,
      ${sql.join(['user_id', 'token_id', 'channel_id', 'model_name', 'group', 'error', ...more].map(name => sql.ref(name)))},
      ${receipt.text('dialect')} as dialect, ${receipt.text('extra_usage', 'region')} as region,
      ${receipt.text('paid_by', 'plan')} as plan,
      1 as requests, case when ${isFailure} then 1 else 0 end as errors, quota,
      coalesce(${cost}, 0) as cost_nanos, case when ${cost} is null then 0 else quota end as costed_quota,
      case when ${hasUsage} then ${tokens('input')} else prompt_tokens end as input_tokens,
      ${tokens('cachedInput', 'cachedAudio', 'cachedImage')} as cached_input_tokens,
      ${tokens('cacheWrite', 'cacheWriteHour')} as cache_write_tokens,
      ${tokens('audioInput')} as audio_input_tokens, ${tokens('imageInput')} as image_input_tokens,
      case when ${hasUsage} then ${tokens('output', 'imageOutput')} else completion_tokens end as output_tokens,
      ${tokens('reasoning')} as reasoning_tokens, ${tokens('audioOutput')} as audio_output_tokens,
      ${bucketOf(receipt.number('frt_ms'))} as first_token,
      case when ${isFailure} then null else ${bucketOf(receipt.number('use_ms'))} end as duration
    from ${source} as logged where ${isCall}`
}

/** The bucket of a sketch, as `bucketOf` of `server/core/sketch.ts`; null for null. */
const bucketOf = (ms: RawBuilder<unknown>): RawBuilder<unknown> => sql`cast(ceil(ln(case when ${ms} < 1 then 1
  when ${ms} > ${sql.lit(VALUE_MAX)} then ${sql.lit(VALUE_MAX)} else ${ms} end) / ${sql.lit(LOG_GAMMA)}) as bigint)`
