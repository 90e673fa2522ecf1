import { sql } from 'kysely'
import { nowSeconds } from '../core/clock.ts'
import type { OpenDatabase } from '../db/engine/database.ts'
import { createLogMonths } from '../db/logs/log-months.ts'

const USERS = 500
const MODELS = 30
const CHANNELS = 20
const DAYS = 90
const ROWS_AT_ONCE = 250_000
/** Every fiftieth request fails. */
const FAILED_EVERY = 50
const ERRORS = [
  '429 rate_limit_exceeded',
  '502 upstream_unreachable',
  '503 no_channel',
  '400 invalid_request',
  '402 insufficient_quota',
]
/** Coprime to the other figures: values are spread evenly and are the same in every run. */
const SPREAD = 7919

/** Inserts the logs of three months and 500 users, each with a token, two models and two channels per model; newest last. */
export async function fillLogs({ db, engine }: OpenDatabase, rows: number): Promise<void> {
  await insertOwners({ db, engine })
  const now = nowSeconds()
  const start = now - DAYS * 24 * 3600
  if (engine === 'postgres') await createLogMonths(db, { from: start, until: now + 1 })
  const numbers = (from: number, until: number) =>
    engine === 'postgres'
      ? sql`generate_series(${sql.lit(from)}::bigint, ${sql.lit(until - 1)}::bigint) as numbers(n)`
      : sql`(with recursive numbers(n) as (select ${sql.lit(from)} union all
          select n + 1 from numbers where n + 1 < ${sql.lit(until)}) select n from numbers)`
  const user = sql`((n * ${sql.lit(SPREAD)}) % ${sql.lit(USERS)} + 1)`
  const model = sql`((${user} * 3 + (n / 7) % 2) % ${sql.lit(MODELS)})`
  const error = sql`case ${sql.join(
    ERRORS.map(
      (name, index) =>
        sql`when n / ${sql.lit(FAILED_EVERY)} % ${sql.lit(ERRORS.length)} = ${sql.lit(index)} then ${sql.lit(name)}`,
    ),
    sql` `,
  )} end`
  const second = sql`${sql.lit(start)} + n * ${sql.lit(DAYS * 24 * 3600)} / ${sql.lit(rows)}`
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const until = Math.min(from + ROWS_AT_ONCE, rows)
    await sql`insert into logs (request_id, user_id, created_at, type, username, token_id, token_name, model_name,
        channel_id, "group", quota, prompt_tokens, completion_tokens, use_time, is_stream, content, error)
      select 'request-' || n, ${user}, ${second}, case when n % ${sql.lit(FAILED_EVERY)} = 0 then 5 else 2 end,
        'user-' || ${user}, ${user}, 'token', 'model-' || ${model},
        (${model} + (n / 3) % 2) % ${sql.lit(CHANNELS)} + 1, 'default', 100 + n % 900, n % 5000, n % 700, n % 30,
        n % 2, '', case when n % ${sql.lit(FAILED_EVERY)} = 0 then ${error} else '' end from ${numbers(from, until)}`.execute(
      db,
    )
  }
  await sql`insert into usage_hours select created_at - created_at % 3600, user_id, token_id, channel_id, model_name,
      "group", type, count(*), sum(quota), sum(prompt_tokens), sum(completion_tokens)
    from logs group by 1, 2, 3, 4, 5, 6, 7 order by 1`.execute(db)
  await sql`analyze`.execute(db)
}

async function insertOwners({ db }: Pick<OpenDatabase, 'db' | 'engine'>): Promise<void> {
  for (let id = 1; id <= USERS; id += 1) {
    const user = { username: `user-${id}`, aff_code: `code-${id}`, created_at: 1 }
    await db.insertInto('users').values(user).execute()
    const key = { key_hash: `hash-${id}`, key_sealed: '', created_time: 1, accessed_time: 1 }
    await db
      .insertInto('tokens')
      .values({ user_id: id, name: `token-${id}`, ...key })
      .execute()
  }
  for (let id = 1; id <= CHANNELS; id += 1)
    await db
      .insertInto('channels')
      .values({ type: 1, name: `channel-${id}`, key_hash: '', key_sealed: '', created_time: 1, models: '' })
      .execute()
}
