import { sql } from 'kysely'
import { everyMs, nowMs } from '../../core/clock.ts'
import type { Logger } from '../../core/logger.ts'
import {
  evaluateLimit,
  evaluateSpending,
  latestFullAtMs,
  newestSlice,
  oldestSlice,
  type RateLimiter,
  refillMs,
  retentionMs,
  type SliceCounts,
  sliceAt,
  withoutEvent,
} from '../../core/rate-limit.ts'
import type { Database } from '../engine/database.ts'

const CLEANUP_INTERVAL_MS = 60_000

/**
 * A rate limiter in PostgreSQL, shared by all processes. A single statement takes a slot or finds that none is free; of two
 * concurrent calls the second one waits for the row lock of the first.
 */
export function createPostgresRateLimiter(db: Database, log: Logger): RateLimiter {
  const stop = everyMs(CLEANUP_INTERVAL_MS, () => deleteExpired(db, log))
  return {
    /** `expires_at` is when the bucket is full again: a row that has expired says no more than a missing one. */
    async spend(budget, subject, cost) {
      const key = `${budget.name} ${subject}`
      const now = nowMs()
      const refill = refillMs(budget, cost)
      const fullAt = sql`(case when rate_windows.expires_at between ${now} and ${latestFullAtMs(budget, now)}
        then rate_windows.expires_at else ${now}::bigint end + ${refill})`
      const { rows } = await sql`
        insert into rate_windows (subject, slices, expires_at) values (${key}, '{}', ${now + refill})
        on conflict (subject) do update set expires_at = ${fullAt}
        where ${fullAt} <= ${now + budget.windowMs}
        returning expires_at`.execute(db)
      if (rows.length > 0) return { isAllowed: true, retryAfterMs: 0 }
      return evaluateSpending((await readExpiry(db, key)) + refill, budget, now)
    },
    async take(limit, subject) {
      const key = `${limit.name} ${subject}`
      const now = nowMs()
      const slice = String(sliceAt(limit, now))
      const recent = sql`(select * from jsonb_each_text(rate_windows.slices::jsonb) as slice(at, events)
        where at::bigint between ${oldestSlice(limit, now)} and ${newestSlice(limit, now)}) as recent`
      const { rows } = await sql<{ slices: string }>`
        insert into rate_windows (subject, slices, expires_at)
        values (${key}, ${JSON.stringify({ [slice]: 1 })}, ${Math.ceil(now + retentionMs(limit))})
        on conflict (subject) do update set
          expires_at = excluded.expires_at,
          slices = (
            (select coalesce(jsonb_object_agg(at, events::bigint), '{}') from ${recent})
            || jsonb_build_object(${slice}::text,
              coalesce((rate_windows.slices::jsonb ->> ${slice})::bigint, 0) + 1)
          )::text
        where (select coalesce(sum(events::bigint), 0) from ${recent}) < ${limit.limit}
        returning slices`.execute(db)
      const [taken] = rows
      if (!taken) return evaluateLimit(await readSlices(db, key), limit, now)
      return evaluateLimit(withoutEvent(parseSlices(taken.slices), Number(slice)), limit, now)
    },
    async putBack(limit, subject, slot) {
      const slice = String(slot.slice)
      await sql`update rate_windows
        set slices = jsonb_set(slices::jsonb, array[${slice}::text],
          to_jsonb(greatest((slices::jsonb ->> ${slice})::bigint - 1, 0)))::text
        where subject = ${`${limit.name} ${subject}`} and slices::jsonb ? ${slice}`.execute(db)
    },
    close: stop,
  }
}

async function deleteExpired(db: Database, log: Logger): Promise<void> {
  try {
    await db.deleteFrom('rate_windows').where('expires_at', '<', nowMs()).execute()
  } catch (error) {
    log.error('expired rate windows could not be deleted', { error })
  }
}

async function readSlices(db: Database, key: string): Promise<SliceCounts> {
  const row = await db
    .selectFrom('rate_windows')
    .select('slices')
    .where('subject', '=', key)
    .executeTakeFirst()
  return parseSlices(row?.slices ?? '{}')
}

async function readExpiry(db: Database, key: string): Promise<number> {
  const row = await db
    .selectFrom('rate_windows')
    .select('expires_at')
    .where('subject', '=', key)
    .executeTakeFirst()
  return Number(row?.expires_at ?? 0)
}

const parseSlices = (text: string): SliceCounts =>
  Object.entries(JSON.parse(text)).map(([slice, count]) => [Number(slice), Number(count)])
