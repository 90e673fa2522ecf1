import { sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

/** What decides whether a commit survives the loss of its PostgreSQL server. */
export interface Replication {
  readonly isFsynced: boolean
  readonly synchronousCommit: string
  /** `synchronous_standby_names`; empty: no commit waits for a standby. */
  readonly synchronousNames: string
  /** Connected standbys. */
  readonly standbys: readonly Standby[]
}

export interface Standby {
  readonly name: string
  /** A commit waits until this standby has it. */
  readonly isSynchronous: boolean
  /** Undefined: the account of the gateway may not see it. */
  readonly lag: { readonly seconds: number; readonly bytes: number } | undefined
}

interface StandbyRow {
  readonly name: string
  readonly state: string | null
  readonly sync_state: string | null
  readonly bytes: number | null
  readonly seconds: number | null
}

/**
 * Reads how a PostgreSQL server replicates. `flush_lag` stays as it was while a standby says nothing, so the time since its
 * last word counts too as long as it is behind.
 */
export async function readReplication(db: Database): Promise<Replication> {
  const settings = await sql<{ fsync: string; commits: string; names: string }>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
      current_setting('synchronous_standby_names') as names`.execute(db)
  const standbys = await sql<StandbyRow>`
    select application_name as name, state, sync_state,
      pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::float8 as bytes,
      extract(epoch from greatest(flush_lag, clock_timestamp() - reply_time))::float8 as seconds
    from pg_stat_replication where state is distinct from 'backup' order by application_name`.execute(db)
  const [row] = settings.rows
  return {
    isFsynced: row?.fsync !== 'off',
    synchronousCommit: row?.commits ?? '',
    synchronousNames: row?.names ?? '',
    standbys: standbys.rows.map(toStandby),
  }
}

const toStandby = ({ name, sync_state, bytes, seconds }: StandbyRow): Standby => ({
  name,
  isSynchronous: sync_state === 'sync' || sync_state === 'quorum',
  lag: bytes === null ? undefined : { bytes, seconds: bytes > 0 ? (seconds ?? 0) : 0 },
})

/** The pace of the last week counts. */
export const GROWTH_SECONDS = 7 * 86_400

/** How a SQLite file grows with its log. */
export interface FileGrowth {
  /** Of pages with rows. */
  readonly usedBytes: number
  /** Of pages without any, which are filled first. */
  readonly freeBytes: number
  readonly rows: number
  /** Rows since `recentFrom`, the time in seconds of the first of them. */
  readonly recentRows: number
  readonly recentFrom: number
}

/** Ids count the rows: counting them one by one takes long. Undefined where the log is empty. */
export async function readFileGrowth(db: Database, sinceSeconds: number): Promise<FileGrowth | undefined> {
  const { rows } = await sql<FileGrowth>`
    with recent as (select id, created_at from logs where created_at >= ${sinceSeconds} order by created_at, id limit 1)
    select (page_count - freelist_count) * page_size as usedBytes, freelist_count * page_size as freeBytes,
      (select max(id) - min(id) + 1 from logs) as rows, (select max(id) from logs) - recent.id + 1 as recentRows,
      recent.created_at as recentFrom
    from pragma_page_count, pragma_page_size, pragma_freelist_count, recent`.execute(db)
  return rows[0]
}
