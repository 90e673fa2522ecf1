import type { Selectable } from 'kysely'
import type { Database } from '../engine/database.ts'
import type { MailCodeTable } from '../engine/tables.ts'

export type NewMailCode = Omit<Selectable<MailCodeTable>, 'attempts'>

/** Replaces the code of an address. Returns false when the current code was created after `createdUntil` (Unix seconds). */
export async function replaceMailCode(
  db: Database,
  code: NewMailCode,
  createdUntil: number,
): Promise<boolean> {
  const { address_hash, ...rest } = code
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('mail_codes')
    .values(code)
    .onConflict(conflict =>
      conflict
        .column('address_hash')
        .doUpdateSet({ ...rest, attempts: 0 })
        .where('mail_codes.created_at', '<=', createdUntil),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** The creation time of the code of an address in Unix seconds; undefined when there is none. */
export async function findMailCodeTime(db: Database, addressHash: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('mail_codes')
    .select('created_at')
    .where('address_hash', '=', addressHash)
    .executeTakeFirst()
  return row?.created_at
}

/** Counts an attempt and returns the hash of the valid code. Undefined when there is none or no attempt is left. */
export async function attemptMailCode(
  db: Database,
  addressHash: string,
  { nowSeconds, attemptsMax }: { readonly nowSeconds: number; readonly attemptsMax: number },
): Promise<string | undefined> {
  const row = await db
    .updateTable('mail_codes')
    .set(code => ({ attempts: code('attempts', '+', 1) }))
    .where('address_hash', '=', addressHash)
    .where('expires_at', '>', nowSeconds)
    .where('attempts', '<', attemptsMax)
    .returning('code_hash')
    .executeTakeFirst()
  return row?.code_hash
}

/** Deletes a code. Returns false when another call has done so, or the code was replaced. */
export async function consumeMailCode(tx: Database, addressHash: string, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('mail_codes')
    .where('address_hash', '=', addressHash)
    .where('code_hash', '=', codeHash)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export async function deleteMailCode(tx: Database, addressHash: string): Promise<void> {
  await tx.deleteFrom('mail_codes').where('address_hash', '=', addressHash).execute()
}

export async function deleteExpiredMailCodes(db: Database, nowSeconds: number): Promise<void> {
  await db.deleteFrom('mail_codes').where('expires_at', '<=', nowSeconds).execute()
}
