import { sql } from 'kysely'
import type { Secrets } from '#server/core/crypto.ts'
import type { Database } from '#server/db/engine/database.ts'
import { isServerLost } from '#server/db/engine/query-errors.ts'

const INSTALLATION_PURPOSE = 'charge-journal'

/**
 * Identifies the installation: its secret key, and the time at which its database was created, which standbys and restored
 * backups share.
 */
export async function readInstallation(db: Database, secrets: Pick<Secrets, 'hash'>): Promise<string> {
  const { rows } = await sql<{
    created: string
  }>`select min(timestamp) as created from kysely_migration`.execute(db)
  return secrets.hash(INSTALLATION_PURPOSE, rows[0]?.created ?? '')
}

/**
 * Identifies the history of the server: another one means that commits may be missing, since a standby was promoted, the server
 * was replaced, or it restarted. Services that only speak the protocol of PostgreSQL tell no more than their start.
 */
export async function readServerHistory(db: Database): Promise<string> {
  try {
    return await readText(
      db,
      sql`(select system_identifier::text from pg_control_system())
        || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
        || ' ' || extract(epoch from pg_postmaster_start_time())::text`,
    )
  } catch (error) {
    if (isServerLost(error)) throw error
    return readText(db, sql`extract(epoch from pg_postmaster_start_time())::text`)
  }
}

async function readText(db: Database, expression: ReturnType<typeof sql>): Promise<string> {
  const { rows } = await sql<{ text: string }>`select ${expression} as text`.execute(db)
  return rows[0]?.text ?? ''
}

/** About 100 MB of postings. */
const POSTINGS_PER_READ = 1_000_000

/** Those of these requests that were charged, of which none began before a Unix second. */
export async function findChargedRequests(
  db: Database,
  requestIds: readonly string[],
  sinceSeconds: number,
): Promise<ReadonlySet<string>> {
  const charged = new Set<string>()
  const sought = requestIds.join(' ')
  for (
    let last = await newestPosting(db, undefined);
    last;
    last = await newestPosting(db, last.id - POSTINGS_PER_READ)
  ) {
    if (last.created_at < sinceSeconds) break
    const { rows } = await sql<{ request_id: string }>`select request_id from postings
      where id > ${last.id - POSTINGS_PER_READ} and id <= ${last.id} and kind = 'charge'
        and request_id = any(string_to_array(${sought}, ' '))`.execute(db)
    for (const { request_id } of rows) charged.add(request_id)
    if (charged.size === requestIds.length) break
  }
  return charged
}

const newestPosting = (db: Database, upTo: number | undefined) =>
  db
    .selectFrom('postings')
    .select(['id', 'created_at'])
    .$if(upTo !== undefined, query => query.where('id', '<=', upTo ?? 0))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Those of these requests whose hold is open. */
export async function findOpenHolds(
  db: Database,
  requestIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ request_id: string }>`select request_id from holds
    where request_id = any(string_to_array(${requestIds.join(' ')}, ' '))`.execute(db)
  return new Set(rows.map(({ request_id }) => request_id))
}

export interface ChargedAccount {
  readonly id: number
  readonly username: string
  /** Unix seconds. */
  readonly created_at: number
}

/** The accounts with these ids. */
export async function listAccounts(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ChargedAccount>> {
  const { rows } = await sql<ChargedAccount>`select id, username, created_at from users
    where id = any(string_to_array(${ids.join(' ')}, ' ')::bigint[])`.execute(db)
  return new Map(rows.map(account => [account.id, account]))
}
