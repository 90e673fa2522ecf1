import { sql } from 'kysely'
import { sleepMs } from '#server/core/clock.ts'
import type { TableShape } from '#server/db/copy/table-shapes.ts'
import {
  type Database,
  type EngineDatabase,
  inTransaction,
  type OpenDatabase,
} from '#server/db/engine/database.ts'
import type { Engine } from '#server/db/migrations/migration.ts'
import {
  explainUnusable,
  findMoveState,
  isAbandoned,
  type MoveState,
  setMovePhase,
  writeMoveState,
} from './move-state.ts'

/** A row that was inserted, updated or deleted. */
export interface CapturedChange {
  readonly id: number
  readonly table: string
  /** JSON text: the list of the row's key cells. */
  readonly key: string
}

/** A statement that waits for a table holds up those that come after it. */
const LOCK_WAIT = '300ms'
const LOCK_ATTEMPTS_MAX = 50
const LOCK_PAUSE_MS = 100
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/**
 * Once this has resolved, every change of a row is written down in the transaction that makes it. On PostgreSQL each table is
 * locked for itself: all at once would end in a deadlock with transactions that write several.
 */
export async function startCapture(
  database: OpenDatabase,
  shapes: readonly TableShape[],
  state: MoveState,
): Promise<void> {
  const { db, engine } = database
  await inTransaction(db, async tx => {
    await sql.raw(CREATE_CHANGES[engine]).execute(tx)
    await sql`create table if not exists move_replies (process_id text primary key, reply text not null)`.execute(
      tx,
    )
    await writeMoveState(tx, { ...state, phase: 'preparing' })
  })
  for (const shape of shapes) await changeTable(database, captureTexts(engine, shape))
  await setMovePhase(db, state.id, 'capturing', state.activeAt)
}

/** Runs the statements in a transaction, again where other transactions keep the table for too long. */
async function changeTable({ db, engine }: EngineDatabase, texts: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await inTransaction(db, async tx => {
        if (engine === 'postgres') await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT)}`.execute(tx)
        for (const text of texts) await sql.raw(text).execute(tx)
      })
    } catch (error) {
      if (attempt === LOCK_ATTEMPTS_MAX || !isLocked(error)) throw error
      await sleepMs(LOCK_PAUSE_MS)
    }
}

const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK)

/** Makes a database one that takes part in no move: removes triggers, what they wrote, and the row of the move. */
export async function removeCapture(database: EngineDatabase): Promise<void> {
  const { db, engine } = database
  const { rows } =
    engine === 'postgres'
      ? await sql<{ name: string }>`
          select proname as name from pg_proc where proname like 'move~_capture~_%' escape '~'
            and pronamespace = current_schema()::regnamespace`.execute(db)
      : await sql<{ name: string }>`
          select name from sqlite_master where type = 'trigger' and name like 'move~_capture~_%' escape '~'`.execute(
          db,
        )
  // A function takes its triggers with it.
  const toDrop = (name: string) =>
    engine === 'postgres' ? `drop function "${name}"() cascade` : `drop trigger "${name}"`
  for (const { name } of rows) await changeTable(database, [toDrop(name)])
  for (const table of ['move_changes', 'move_replies', 'moves'])
    await changeTable(database, [`drop table if exists ${table}`])
}

/** Ends the capture of a move whose command is gone, so that it does not grow for ever. Returns whether there was one. */
export async function endAbandonedCapture(database: OpenDatabase, nowSeconds: number): Promise<boolean> {
  const state = await findMoveState(database)
  if (!state || explainUnusable(state) !== undefined || !isAbandoned(state, nowSeconds)) return false
  await removeCapture(database)
  return true
}

/** The first changes that are committed. Take each away only after it is applied. */
export async function listChanges(db: Database, limit: number): Promise<readonly CapturedChange[]> {
  const { rows } = await sql<CapturedChange>`
    select id, "table", key from move_changes order by id limit ${limit}`.execute(db)
  return rows
}

/** By their own ids: a change with a lower id may be committed later. */
export const deleteChanges = (db: Database, changes: readonly CapturedChange[]) =>
  sql`delete from move_changes where id in (${sql.join(changes.map(({ id }) => id))})`.execute(db)

const CREATE_CHANGES: Readonly<Record<Engine, string>> = {
  sqlite: `create table move_changes (id integer primary key autoincrement, "table" text not null, key text not null)`,
  postgres: `create table move_changes (
    id bigint generated always as identity primary key, "table" text not null, key text not null)`,
}

const captureTexts = (engine: Engine, shape: TableShape): readonly string[] =>
  engine === 'sqlite' ? sqliteTriggers(shape) : postgresTriggers(shape)

function sqliteTriggers({ name, key }: TableShape): readonly string[] {
  const keyOf = (row: string) => `json_array(${key.map(column => `${row}."${column}"`).join(', ')})`
  const write = (row: string) => `insert into move_changes ("table", key) values ('${name}', ${keyOf(row)});`
  const former = `insert into move_changes ("table", key) select '${name}', ${keyOf('old')}
    where ${keyOf('old')} <> ${keyOf('new')};`
  const trigger = (event: string, body: string) =>
    `create trigger move_capture_${name}_${event} after ${event} on "${name}" begin ${body} end`
  return [
    trigger('insert', write('new')),
    trigger('update', `${former} ${write('new')}`),
    trigger('delete', write('old')),
  ]
}

function postgresTriggers({ name, key }: TableShape): readonly string[] {
  const keyOf = (row: string) =>
    `cast(json_build_array(${key.map(column => `${row}."${column}"`).join(', ')}) as text)`
  const write = (row: string) => `insert into move_changes ("table", key) values ('${name}', ${keyOf(row)});`
  return [
    `create function move_capture_${name}() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then ${write('old')} return null; end if;
      if tg_op = 'UPDATE' then if ${keyOf('old')} <> ${keyOf('new')} then ${write('old')} end if; end if;
      ${write('new')} return null; end $$`,
    `create trigger move_capture after insert or update or delete on "${name}"
      for each row execute function move_capture_${name}()`,
  ]
}
