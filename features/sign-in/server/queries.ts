import type { Selectable } from 'kysely'
import type { UserRow } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { MailCodeTable } from '#server/db/engine/tables.ts'

/**
 * Finds a user that is not deleted by e-mail address in any case, else by user name. The address has priority, because it
 * is verified and a user name may look like one.
 */
export function findUserByLogin(db: Database, login: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where(where => where.or([where('username', '=', login), where('email', '=', login.toLowerCase())]))
    .where('kind', '=', 'person')
    .where('deleted_at', 'is', null)
    .orderBy(order => order.case().when('email', '=', login.toLowerCase()).then(0).else(1).end())
    .limit(1)
    .executeTakeFirst()
}

type NewMailCode = Omit<Selectable<MailCodeTable>, 'attempts'>

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

export async function deleteExpiredMailCodes(db: Database, nowSeconds: number): Promise<void> {
  await db.deleteFrom('mail_codes').where('expires_at', '<=', nowSeconds).execute()
}
