import { hashImportedKey, TOKEN_KEY_PURPOSE } from '../core/crypto.ts'
import type { Database } from '../db/engine/database.ts'
import { findImported, findTaken, insertImportedTokens } from '../db/imports/import-rows.ts'
import { postImportedBalances } from '../ledger/import-balances.ts'
import { assignIds } from './assign-ids.ts'
import type { ImportContext, ImportedRow } from './import-context.ts'
import type { ImportedToken } from './import-source.ts'

/** Writes tokens with their keys, so that clients notice nothing, and their limits and usage as postings. */
export async function writeTokens(
  tx: Database,
  rows: readonly ImportedRow<ImportedToken>[],
  context: ImportContext,
): Promise<void> {
  const { secrets, source, program } = context
  const owners = await findImported(tx, source, 'users', [
    ...new Set(rows.map(row => String(row.record.owner))),
  ])
  const hashes = rows.map(({ record: { key } }) =>
    'text' in key ? secrets.hash(TOKEN_KEY_PURPOSE, key.text) : hashImportedKey(secrets, key.sha256),
  )
  const taken = await findTaken(tx, 'tokens', 'key_hash', hashes)
  const fresh = rows.flatMap((row, index) => {
    const keyHash = hashes[index] ?? ''
    const owner = owners.get(String(row.record.owner))
    if (owner === undefined) row.skip(`its owner ${row.record.owner} is not here`)
    else if (taken.has(keyHash)) row.skip('another token here has the same key')
    else {
      taken.set(keyHash, 0)
      return [{ ...row, owner, keyHash }]
    }
    return []
  })
  const ids = await assignIds(tx, 'tokens', fresh)
  const written = fresh.map(({ record, accept, owner, keyHash }, index) => {
    const id = ids[index] ?? 0
    const { originalId, owner: _, key, ...columns } = record
    accept(id, ...(originalId === undefined || originalId === id ? [] : [`has the id ${id} here`]))
    const key_sealed = secrets.encrypt('text' in key ? key.text : '')
    return { ...columns, id, user_id: owner, key_hash: keyHash, key_sealed }
  })
  await insertImportedTokens(tx, written)
  const balances = written.map(({ id, user_id, remain_quota, used_quota }) => ({
    userId: user_id,
    tokenId: id,
    tokenLimit: remain_quota,
    usage: used_quota,
  }))
  await postImportedBalances(tx, balances, `imported from ${program}`)
}
