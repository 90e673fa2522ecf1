import type { Database } from '../engine/database.ts'

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
