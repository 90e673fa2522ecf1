import type { Insertable, Selectable } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import {
  type PriceChangeTable,
  type PriceProposalTable,
  type PriceSyncTable,
  withPriceTables,
} from './tables.ts'

export type PriceChangeRow = Selectable<PriceChangeTable>
/** More rows would exceed the parameters of a statement. */
const ROWS_AT_ONCE = 500

const chunks = <Row>(rows: readonly Row[]): readonly (readonly Row[])[] =>
  Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, index) =>
    rows.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE),
  )

/** Replaces all proposals with those of another feed. */
export async function replaceProposals(tx: Database, rows: readonly PriceProposalTable[]): Promise<void> {
  await withPriceTables(tx).deleteFrom('price_proposals').execute()
  for (const chunk of chunks(rows))
    await withPriceTables(tx).insertInto('price_proposals').values(chunk).execute()
}

/** Ordered by model. */
export const listProposals = (db: Database, limit: number): Promise<PriceProposalTable[]> =>
  withPriceTables(db).selectFrom('price_proposals').selectAll().orderBy('model').limit(limit).execute()

export const findSync = (db: Database, name: string): Promise<PriceSyncTable | undefined> =>
  withPriceTables(db).selectFrom('price_syncs').selectAll().where('name', '=', name).executeTakeFirst()

export async function saveSync(tx: Database, row: PriceSyncTable): Promise<void> {
  const { name: _, ...values } = row
  await withPriceTables(tx)
    .insertInto('price_syncs')
    .values(row)
    .onConflict(conflict => conflict.column('name').doUpdateSet(values))
    .execute()
}

/** Takes the turn of a sync that was last done before `before`. False: another process has it, or it is not due. */
export async function claimSync(
  db: Database,
  { name, source, now, before }: { name: string; source: string; now: number; before: number },
): Promise<boolean> {
  await withPriceTables(db)
    .insertInto('price_syncs')
    .values({ name, created_at: 0, source, body: '' })
    .onConflict(conflict => conflict.column('name').doNothing())
    .execute()
  const { numUpdatedRows } = await withPriceTables(db)
    .updateTable('price_syncs')
    .set({ created_at: now, source })
    .where('name', '=', name)
    .where(({ or, eb }) => or([eb('created_at', '<=', before), eb('source', '!=', source)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Stores the fingerprint of a report. False when it is stored already. */
export async function updateSyncBody(db: Database, name: string, body: string): Promise<boolean> {
  const { numUpdatedRows } = await withPriceTables(db)
    .updateTable('price_syncs')
    .set({ body })
    .where('name', '=', name)
    .where('body', '!=', body)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

interface Pin {
  readonly userId: number
  readonly now: number
}

export async function insertPins(
  tx: Database,
  models: readonly string[],
  { userId, now }: Pin,
): Promise<void> {
  for (const chunk of chunks(models))
    await withPriceTables(tx)
      .insertInto('price_pins')
      .values(chunk.map(model => ({ model, user_id: userId, created_at: now })))
      .onConflict(conflict => conflict.column('model').doNothing())
      .execute()
}

export async function deletePins(tx: Database, models: readonly string[]): Promise<void> {
  for (const chunk of chunks(models))
    await withPriceTables(tx).deleteFrom('price_pins').where('model', 'in', chunk).execute()
}

export async function listPinnedModels(db: Database, limit: number): Promise<ReadonlySet<string>> {
  const rows = await withPriceTables(db)
    .selectFrom('price_pins')
    .select('model')
    .orderBy('model')
    .limit(limit)
    .execute()
  return new Set(rows.map(({ model }) => model))
}

export async function insertPriceChanges(
  tx: Database,
  rows: readonly Insertable<PriceChangeTable>[],
): Promise<void> {
  for (const chunk of chunks(rows))
    await withPriceTables(tx).insertInto('price_changes').values(chunk).execute()
}

/** Newest first, with the name of the administrator. */
export const listPriceChangeRows = (
  db: Database,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<(PriceChangeRow & { username: string | null })[]> =>
  withPriceTables(db)
    .selectFrom('price_changes')
    .leftJoin('users', 'users.id', 'price_changes.user_id')
    .selectAll('price_changes')
    .select('users.username as username')
    .orderBy('price_changes.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countPriceChanges(db: Database): Promise<number> {
  const { count } = await withPriceTables(db)
    .selectFrom('price_changes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Newest first. */
export const listPriceBatch = (db: Database, batch: string, limit: number): Promise<PriceChangeRow[]> =>
  withPriceTables(db)
    .selectFrom('price_changes')
    .selectAll()
    .where('batch', '=', batch)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Approved prices that wait for their time, oldest first; with `until` those whose time has come by then. */
export function listScheduledChanges(
  db: Database,
  { until, limit }: { readonly until?: number; readonly limit: number },
): Promise<PriceChangeRow[]> {
  const waiting = withPriceTables(db)
    .selectFrom('price_changes')
    .selectAll()
    .where('status', '=', 'scheduled')
  return (until === undefined ? waiting : waiting.where('effective_at', '<=', until))
    .orderBy('effective_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Cancels the prices of models that wait for their time. */
export async function cancelScheduledChanges(
  tx: Database,
  models: readonly string[],
  { userId, now }: Pin,
): Promise<void> {
  for (const chunk of chunks(models))
    await withPriceTables(tx)
      .updateTable('price_changes')
      .set({ status: 'cancelled', ended_at: now, ended_by: userId })
      .where('status', '=', 'scheduled')
      .where('model', 'in', chunk)
      .execute()
}

type ChangeUpdate = Partial<
  Pick<PriceChangeRow, 'status' | 'applied_at' | 'ended_at' | 'ended_by' | 'before' | 'after'>
>

/** Changes a row that is in a state. False when it no longer is. */
export async function updatePriceChange(
  tx: Database,
  { id, status }: Pick<PriceChangeRow, 'id' | 'status'>,
  change: ChangeUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await withPriceTables(tx)
    .updateTable('price_changes')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', status)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
