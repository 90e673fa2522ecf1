import { sql } from 'kysely'
import type { Database, EngineDatabase, OpenDatabase } from '#server/db/engine/database.ts'
import type { Engine } from '#server/db/migrations/migration.ts'

/**
 * Of the source: `preparing` (its triggers are being created), `capturing` (it is copied and serves on), `announced`
 * (gateways reply whether they can follow), `switching` (they pause), `moved` (it is kept and rejects writes). Of the target:
 * `arriving` (the base copy is written), `following` (changes since then are applied).
 */
export type MovePhase =
  | 'preparing'
  | 'capturing'
  | 'announced'
  | 'switching'
  | 'moved'
  | 'arriving'
  | 'following'

/** The row of a database that takes part in a move. */
export interface MoveState {
  /** The same on both sides. */
  readonly id: string
  readonly phase: MovePhase
  /** The other side, without a password. */
  readonly place: string
  /** The URL of the other side, encrypted with the secret key. */
  readonly urlEncrypted: string
  /** When the command last reported, in Unix seconds. */
  readonly activeAt: number
}

/** The command reports more often than this, except while it copies a file. */
const GONE_SECONDS = 600

/** Undefined for a database that takes part in no move. */
export async function findMoveState({ db, engine }: EngineDatabase): Promise<MoveState | undefined> {
  if (!(await hasTable(db, engine, 'moves'))) return undefined
  const { rows } = await sql<MoveState>`
    select id, phase, place, url_encrypted as "urlEncrypted", active_at as "activeAt" from moves`.execute(db)
  return rows[0]
}

export async function hasTable(db: Database, engine: Engine, name: string): Promise<boolean> {
  const { rows } =
    engine === 'sqlite'
      ? await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(db)
      : await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(db)
  return rows.length > 0
}

export async function writeMoveState(db: Database, state: MoveState): Promise<void> {
  await sql`create table if not exists moves (
    id text primary key, phase text not null, place text not null, url_encrypted text not null, active_at bigint not null)`.execute(
    db,
  )
  await sql`delete from moves`.execute(db)
  await sql`insert into moves (id, phase, place, url_encrypted, active_at)
    values (${state.id}, ${state.phase}, ${state.place}, ${state.urlEncrypted}, ${state.activeAt})`.execute(
    db,
  )
}

export const dropMoveState = (db: Database) => sql`drop table if exists moves`.execute(db)

/** Changes the phase of a database that is not moved yet. Throws when it is, takes part in another move, or in none. */
export async function setMovePhase(
  db: Database,
  id: string,
  phase: MovePhase,
  nowSeconds: number,
): Promise<void> {
  const { numAffectedRows } = await sql`
    update moves set phase = ${phase}, active_at = ${nowSeconds}
    where id = ${id} and phase <> 'moved'`.execute(db)
  if (numAffectedRows !== 1n) throw new Error('this move was ended meanwhile: run it again')
}

/** Ends the move in its target: a gateway may serve from it. */
export async function finishArrival(target: OpenDatabase, id: string): Promise<void> {
  const state = await findMoveState(target)
  if (state?.id === id && state.phase === 'following') await dropMoveState(target.db)
}

/** Reports that the command still runs. */
export const touchMove = (db: Database, id: string, nowSeconds: number) =>
  sql`update moves set active_at = ${nowSeconds} where id = ${id} and phase <> 'moved'`.execute(db)

/** Deletes the replies of gateways, so that they reply again. */
export const clearMoveReplies = (db: Database) => sql`delete from move_replies`.execute(db)

/** A gateway's reply to an announced move: `ready`, `paused`, or why it cannot follow. */
export async function writeMoveReply(db: Database, processId: string, reply: string): Promise<void> {
  await sql`delete from move_replies where process_id = ${processId}`.execute(db)
  await sql`insert into move_replies (process_id, reply) values (${processId}, ${reply})`.execute(db)
}

export async function listMoveReplies(db: Database): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ process_id: string; reply: string }>`
    select process_id, reply from move_replies`.execute(db)
  return new Map(rows.map(({ process_id, reply }) => [process_id, reply]))
}

const MOVED = 'this database was moved'

/** Makes a database refuse every later change, by whatever program. */
export async function rejectChanges(tx: Database, engine: Engine, tables: readonly string[]): Promise<void> {
  if (engine === 'postgres')
    await sql
      .raw(`create function reject_changes() returns trigger language plpgsql as
        $$ begin raise exception '${MOVED}'; end $$`)
      .execute(tx)
  for (const table of tables)
    for (const text of rejectionTriggers(engine, table)) await sql.raw(text).execute(tx)
}

const rejectionTriggers = (engine: Engine, table: string): readonly string[] =>
  engine === 'postgres'
    ? [
        `create trigger reject_changes before insert or update or delete or truncate on "${table}"
          for each statement execute function reject_changes()`,
      ]
    : ['insert', 'update', 'delete'].map(
        event => `create trigger reject_${event}_${table} before ${event} on "${table}"
          begin select raise(abort, '${MOVED}'); end`,
      )

/** Keeps every other process from writing until the transaction ends. On SQLite the transaction itself does. */
export async function lockTables(tx: Database, engine: Engine, tables: readonly string[]): Promise<void> {
  if (engine === 'sqlite') return
  const names = sql.join(tables.map(table => sql.table(table)))
  await sql`set local lock_timeout = '1s'`.execute(tx)
  await sql`lock table ${names} in exclusive mode`.execute(tx)
}

/** Whether the command that wrote the row is gone. */
export const isAbandoned = ({ activeAt }: MoveState, nowSeconds: number): boolean =>
  activeAt < nowSeconds - GONE_SECONDS

/** The sentence for a database from which a gateway must not serve; undefined when it may. */
export function explainUnusable({ phase, place }: MoveState): string | undefined {
  if (phase === 'moved')
    return `this database was moved to ${place}: set DATABASE_URL or DATA_DIR to that place; this copy is kept and takes no changes`
  if (phase !== 'arriving' && phase !== 'following') return undefined
  return `the move from ${place} to this database is not complete: run tollgate move again`
}

/** A database URL or path without its password. */
export function describePlace(url: string): string {
  if (!URL.canParse(url) || !url.startsWith('postgres')) return url
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}
