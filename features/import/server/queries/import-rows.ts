import { sql } from 'kysely'
import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { UserRecord } from '#contract/entities/user-fields.ts'
import { bulkInsert } from '#server/db/engine/bulk.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Tables } from '#server/db/engine/tables.ts'
import { REQUEST_LOG_COLUMNS } from '#server/db/logs/log-writes.ts'
import type { Engine } from '#server/db/migrations/migration.ts'

/** Which rows of another installation are here already, and the plain inserts of an import. */

const IDS_AT_ONCE = 1000

/** The rows here of those of the source that came before, by their id there. */
export async function findImported(
  db: Database,
  source: string,
  kind: string,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await inParts(sourceIds, part =>
    db
      .selectFrom('import_rows')
      .select(['source_id', 'id'])
      .where('source', '=', source)
      .where('kind', '=', kind)
      .where('source_id', 'in', part)
      .execute(),
  )
  return new Map(rows.map(({ source_id, id }) => [source_id, id]))
}

/** The groups of users that came, by their ids in the source. */
export async function listGroupsOfImported(
  db: Database,
  source: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('import_rows')
    .innerJoin('users', 'users.id', 'import_rows.id')
    .select(['import_rows.source_id', 'users.group'])
    .where('import_rows.source', '=', source)
    .where('import_rows.kind', '=', 'users')
    .execute()
  return new Map(rows.map(({ source_id, group }) => [source_id, group]))
}

/** All rows of a kind that came from this installation. */
export const listImported = (db: Database, source: string, kind: string) =>
  db
    .selectFrom('import_rows')
    .select(['source_id', 'id'])
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where('source_id', '<>', PROGRESS)
    .execute()

/** Whether anything came from this installation before. */
export async function hasImported(db: Database, source: string): Promise<boolean> {
  const row = await db
    .selectFrom('import_rows')
    .select('id')
    .where('source', '=', source)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const insertImportRows = bulkInsert('import_rows', ['source', 'kind', 'source_id', 'id'])

/** How far a table without rows of its own in `import_rows` was imported: the last key; 0 at the beginning. */
export async function findImportProgress(db: Database, source: string, kind: string): Promise<number> {
  const row = await db
    .selectFrom('import_rows')
    .select('id')
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where('source_id', '=', PROGRESS)
    .executeTakeFirst()
  return row?.id ?? 0
}

export async function saveImportProgress(
  tx: Database,
  source: string,
  kind: string,
  id: number,
): Promise<void> {
  await tx
    .insertInto('import_rows')
    .values({ source, kind, source_id: PROGRESS, id })
    .onConflict(conflict => conflict.columns(['source', 'kind', 'source_id']).doUpdateSet({ id }))
    .execute()
}

const PROGRESS = 'progress'

/** The values of a unique column that rows here already have. */
export async function findTaken<T extends 'users' | 'tokens' | 'channels' | 'redemptions' | 'tasks'>(
  db: Database,
  table: T,
  column: keyof Tables[T] & string,
  values: readonly (string | number)[],
): Promise<Map<string | number, number>> {
  const rows = await inParts(values, async part => {
    const found = await sql<{ value: string | number; id: number }>`select ${sql.ref(column)} as value, id
      from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(part)})`.execute(db)
    return found.rows
  })
  return new Map(rows.map(({ value, id }) => [value, id]))
}

export async function findHighestId(db: Database, table: NumberedTable): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from ${sql.table(table)}`.execute(db)
  return rows[0]?.id ?? 0
}

type NumberedTable = 'users' | 'tokens' | 'channels' | 'redemptions' | 'tasks'

/** PostgreSQL does not count rows that name their id: the next one that it numbers itself must not collide. */
export async function advanceNumbers(db: Database, engine: Engine, table: NumberedTable): Promise<void> {
  if (engine !== 'postgres') return
  await sql`select setval(pg_get_serial_sequence(${table}, 'id'),
    greatest((select max(id) from ${sql.table(table)}), nextval(pg_get_serial_sequence(${table}, 'id'))))`.execute(
    db,
  )
}

export const insertImportedUsers = bulkInsert('users', [
  'id',
  'password_hash',
  'access_token_hash',
  'quota',
  'setting',
  'created_at',
  'last_login_at',
  'deleted_at',
  ...UserRecord.keyof().options,
])

/** Adds the figures of an account of another gateway to one that exists here. Their postings belong in the same transaction. */
export async function addToUser(
  tx: Database,
  id: number,
  figures: {
    readonly quota: number
    readonly used_quota: number
    readonly request_count: number
    readonly aff_quota: number
  },
): Promise<void> {
  await tx
    .updateTable('users')
    .set(row => ({
      quota: row('quota', '+', figures.quota),
      used_quota: row('used_quota', '+', figures.used_quota),
      request_count: row('request_count', '+', figures.request_count),
      aff_quota: row('aff_quota', '+', figures.aff_quota),
    }))
    .where('id', '=', id)
    .execute()
}

export const insertImportedTokens = bulkInsert('tokens', [
  'id',
  'user_id',
  'key_hash',
  'key_sealed',
  'status',
  'created_time',
  'accessed_time',
  'remain_quota',
  'used_quota',
  'deleted_at',
  ...TokenFields.keyof().options,
])

export const insertImportedChannels = bulkInsert('channels', [
  'id',
  'key_hash',
  'key_sealed',
  'status',
  'created_time',
  'test_time',
  'response_time',
  'balance',
  'balance_updated_time',
  'used_quota',
  'other_info',
  ...ChannelFields.keyof().options,
])

export const insertImportedRedemptions = bulkInsert('redemptions', [
  'id',
  'user_id',
  'key_hash',
  'key_sealed',
  'status',
  'name',
  'quota',
  'created_time',
  'redeemed_time',
  'used_user_id',
  'deleted_at',
])

export const insertImportedTasks = bulkInsert('tasks', [
  'id',
  'request_id',
  'platform',
  'task_id',
  'user_id',
  'channel_id',
  'action',
  'mode',
  'code',
  'prompt',
  'outcome',
  'status',
  'progress',
  'fail_reason',
  'detail',
  'quota',
  'bill',
  'created_at_ms',
  'updated_at_ms',
  'submit_time_ms',
  'start_time_ms',
  'finish_time_ms',
  'due_ms',
])

export const insertImportedLogs = bulkInsert('logs', REQUEST_LOG_COLUMNS)

/** Counts the usage of imported log rows, which no charge matches. */
export const addToImportUsage = bulkInsert(
  'import_usage',
  ['user_id', 'quota', 'requests'],
  `on conflict (user_id) do update set quota = import_usage.quota + excluded.quota,
    requests = import_usage.requests + excluded.requests`,
)

/** Rolled-up sums do not know hours that were filled later: they are written again from the hours. */
export async function resetRollUps(tx: Database): Promise<void> {
  for (const table of ['gateway_hours', 'usage_days', 'gateway_days'] as const)
    await tx.deleteFrom(table).execute()
  await tx.deleteFrom('roll_ups').where('name', '=', 'usage_days').execute()
}

async function inParts<Value, Row>(
  values: readonly Value[],
  read: (part: readonly Value[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let start = 0; start < values.length; start += IDS_AT_ONCE)
    rows.push(...(await read(values.slice(start, start + IDS_AT_ONCE))))
  return rows
}
