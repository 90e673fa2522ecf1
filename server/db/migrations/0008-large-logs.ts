import { type Kysely, sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * For logs of many millions of rows: on PostgreSQL rows and receipts lie by month, so that old months are dropped whole;
 * and the hours' sums once more without users and tokens, for charts of all traffic.
 */
export const largeLogs: Migration = {
  name: '0008-large-logs',
  async up(db, engine) {
    if (engine === 'postgres') await keepByMonth(db)
    const created = db.schema.createTable('gateway_hours')
    await (engine === 'sqlite' ? created.modifyEnd(sql`without rowid`) : created)
      .addColumn('hour', 'bigint', c => c.notNull())
      .addColumn('channel_id', 'bigint', c => c.notNull())
      .addColumn('model_name', 'text', c => c.notNull())
      .addColumn('group', 'text', c => c.notNull())
      .addColumn('type', 'bigint', c => c.notNull())
      .addColumn('count', 'bigint', c => c.notNull())
      .addColumn('quota', 'bigint', c => c.notNull())
      .addColumn('prompt_tokens', 'bigint', c => c.notNull())
      .addColumn('completion_tokens', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('gateway_hours_key', ['hour', 'channel_id', 'model_name', 'group', 'type'])
      .execute()
  },
}

/** What is there becomes the month of its newest row and is not rewritten: it is read once, to be sure of its times. */
async function keepByMonth(db: Kysely<unknown>): Promise<void> {
  const month = await monthOfNewest(db)
  await run(db, `alter table logs rename to logs_before`)
  await run(db, `alter table receipts rename to receipts_before`)
  for (const index of ['time', 'user', 'request'])
    await run(db, `alter index logs_${index} rename to logs_before_${index}`)
  await createLogs(db)
  await createReceipts(db)
  for (const table of ['logs', 'receipts'])
    if (month.isEmpty) await run(db, `drop table ${table}_before`)
    else {
      await run(db, `alter table ${table}_before rename to ${table}_${month.name}`)
      const range = `for values from (minvalue) to (${month.until})`
      await run(db, `alter table ${table} attach partition ${table}_${month.name} ${range}`)
    }
  await run(db, `create index logs_time on logs (created_at, id)`)
  await run(db, `create index logs_user on logs (user_id, created_at, id)`)
  await run(db, `create index logs_request on logs (request_id)`)
}

async function monthOfNewest(db: Kysely<unknown>) {
  const { rows } = await sql<{ name: string; until: number; isEmpty: boolean }>`
    select to_char(newest, 'YYYY_MM') as name,
      cast(extract(epoch from date_trunc('month', newest) + interval '1 month') as bigint) as until,
      not exists (select 1 from logs) as "isEmpty"
    from (select to_timestamp(greatest(extract(epoch from now()), (select max(created_at) from logs)))
      at time zone 'UTC' as newest) as seen`.execute(db)
  const [month] = rows
  if (!month) throw new Error('found no month, needed that of the newest log row')
  return month
}

/** A number is given once among all months. Each month has its own key: one of all would have to name the time too. */
async function createLogs(db: Kysely<unknown>): Promise<void> {
  await run(db, `create sequence logs_numbers`)
  await run(db, `select setval('logs_numbers', nextval(pg_get_serial_sequence('logs_before', 'id')))`)
  await run(db, `alter table logs_before alter column id drop identity`)
  await run(db, `create table logs (like logs_before) partition by range (created_at)`)
  await run(db, `alter table logs alter column id set default nextval('logs_numbers')`)
  await run(db, `alter sequence logs_numbers owned by logs.id`)
  await run(db, `create table logs_rest partition of logs (primary key (id)) default`)
}

/** A receipt says itself when it was written, so that writing it names no more columns than before. */
async function createReceipts(db: Kysely<unknown>): Promise<void> {
  const now = `cast(extract(epoch from now()) as bigint)`
  await run(db, `alter table receipts_before add column written_at bigint not null default ${now}`)
  await run(
    db,
    `create table receipts (like receipts_before including defaults) partition by range (written_at)`,
  )
  await run(db, `create table receipts_rest partition of receipts (primary key (log_id)) default`)
}

const run = (db: Kysely<unknown>, text: string) => sql.raw(text).execute(db)
