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
