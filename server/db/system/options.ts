import type { Database } from '../engine/database.ts'

export interface OptionRow {
  readonly key: string
  /** Encrypted when the option is secret. */
  readonly value: string
}

/** All stored options. Options that were never changed are not stored. */
export function selectOptions(db: Database): Promise<OptionRow[]> {
  return db.selectFrom('options').select(['key', 'value']).orderBy('key').execute()
}

export async function upsertOption(tx: Database, row: OptionRow): Promise<void> {
  await tx
    .insertInto('options')
    .values(row)
    .onConflict(conflict => conflict.column('key').doUpdateSet({ value: row.value }))
    .execute()
}

/** Stores an option that has no value yet. */
export async function insertOptionIfNew(tx: Database, row: OptionRow): Promise<void> {
  await tx
    .insertInto('options')
    .values(row)
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
