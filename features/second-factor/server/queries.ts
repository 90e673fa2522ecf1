import type { Insertable, Selectable } from 'kysely'
import type { FactorKind } from '#contract/accounts/reauthentication.ts'
import type { Database } from '#server/db/engine/database.ts'
import { type SecondFactorTable, withFactorTables } from './tables.ts'

export type FactorRow = Selectable<SecondFactorTable>

export const FACTORS_MAX = 20

/** The factors that count, the oldest first. */
export const listFactors = (db: Database, userId: number): Promise<FactorRow[]> =>
  withFactorTables(db)
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .where('is_confirmed', '=', 1)
    .orderBy('id')
    .limit(FACTORS_MAX)
    .execute()

export async function listFactorKinds(db: Database, userId: number): Promise<readonly FactorKind[]> {
  const rows = await withFactorTables(db)
    .selectFrom('second_factors')
    .select('kind')
    .distinct()
    .where('user_id', '=', userId)
    .where('is_confirmed', '=', 1)
    .orderBy('kind')
    .execute()
  return rows.map(({ kind }) => kind)
}

/** Returns its id; undefined when the passkey is known already. */
export async function insertFactor(
  db: Database,
  factor: Insertable<SecondFactorTable>,
): Promise<number | undefined> {
  const row = await withFactorTables(db)
    .insertInto('second_factors')
    .values(factor)
    .onConflict(conflict => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Only one app at a time waits for its first code. */
export async function deleteUnconfirmed(db: Database, userId: number): Promise<void> {
  await withFactorTables(db)
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .where('is_confirmed', '=', 0)
    .execute()
}

/** An authenticator app that was added since and has not shown a code yet. */
export const findUnconfirmed = (
  db: Database,
  userId: number,
  since: number,
): Promise<FactorRow | undefined> =>
  withFactorTables(db)
    .selectFrom('second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .where('is_confirmed', '=', 0)
    .where('created_at', '>', since)
    .executeTakeFirst()

export const findPasskey = (db: Database, credentialId: string): Promise<FactorRow | undefined> =>
  withFactorTables(db)
    .selectFrom('second_factors')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()

/** Takes the code of a step, and confirms the app. False when a code of this step or a later one was taken before. */
export async function takeStep(db: Database, id: number, step: number, at: number): Promise<boolean> {
  const { numUpdatedRows } = await withFactorTables(db)
    .updateTable('second_factors')
    .set({ last_step: step, used_at: at, is_confirmed: 1 })
    .where('id', '=', id)
    .where('last_step', '<', step)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Takes the count of a passkey. False when it does not rise: another copy of the passkey has been used. */
export async function takeCounter(db: Database, id: number, counter: number, at: number): Promise<boolean> {
  const { numUpdatedRows } = await withFactorTables(db)
    .updateTable('second_factors')
    .set({ counter, used_at: at })
    .where('id', '=', id)
    .where(where =>
      where.or([where('counter', '<', counter), ...(counter === 0 ? [where('counter', '=', 0)] : [])]),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** False when the user has no such factor. */
export async function deleteFactor(db: Database, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await withFactorTables(db)
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** All factors of a user, and with them the codes that replace them. */
export async function deleteFactorsOfUser(db: Database, userId: number): Promise<void> {
  await withFactorTables(db).deleteFrom('second_factors').where('user_id', '=', userId).execute()
  await deleteRecoveryCodes(db, userId)
}

export async function deleteRecoveryCodes(db: Database, userId: number): Promise<void> {
  await withFactorTables(db).deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

export async function replaceRecoveryCodes(
  db: Database,
  user_id: number,
  hashes: readonly string[],
): Promise<void> {
  await deleteRecoveryCodes(db, user_id)
  await withFactorTables(db)
    .insertInto('recovery_codes')
    .values(hashes.map(code_hash => ({ code_hash, user_id })))
    .execute()
}

/** False when there is no such code, or it was used before. */
export async function takeRecoveryCode(db: Database, userId: number, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await withFactorTables(db)
    .deleteFrom('recovery_codes')
    .where('code_hash', '=', codeHash)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export async function countRecoveryCodes(db: Database, userId: number): Promise<number> {
  const { count } = await withFactorTables(db)
    .selectFrom('recovery_codes')
    .select(select => select.fn.countAll<number | string>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
