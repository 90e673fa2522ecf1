import { defaultsOf, toCells } from '#contract/entities/stored.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { ROLE } from '#contract/enums.ts'
import { createFirstRoot } from '#server/accounts/create-account.ts'
import { storeTokenKey } from '#server/core/crypto.ts'
import { findUserByRole } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import { assignIds } from './assign-ids.ts'
import { postImportedBalances } from './import-balances.ts'
import type { ImportContext, ImportedRow } from './import-context.ts'
import { type ImportedToken, ROOT } from './import-source.ts'
import { findImported, findTaken, insertImportedTokens } from './queries/import-rows.ts'

const DEFAULTS = toCells(TokenFields, defaultsOf(TokenFields))

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
  const root = rows.some(({ record }) => record.owner === ROOT) ? await findRoot(tx, context) : undefined
  const keys = rows.map(({ record }) => storeTokenKey(secrets, record.key))
  const taken = await findTaken(
    tx,
    'tokens',
    'key_hash',
    keys.map(key => key.key_hash),
  )
  const fresh = rows.flatMap((row, index) => {
    const key = keys[index]
    const owner = row.record.owner === ROOT ? root?.id : owners.get(String(row.record.owner))
    if (!key) throw new Error('each row has a key')
    if (owner === undefined) row.skip(`its owner ${String(row.record.owner)} is not here`)
    else if (taken.has(key.key_hash)) row.skip('another token here has the same key')
    else {
      taken.set(key.key_hash, 0)
      return [{ ...row, owner, storedKey: key }]
    }
    return []
  })
  const ids = await assignIds(tx, 'tokens', fresh)
  const written = fresh.map(({ record, accept, owner, storedKey }, index) => {
    const id = ids[index] ?? 0
    const { originalId, owner: _, key: __, ...columns } = record
    const notes = originalId === undefined || originalId === id ? [] : [`has the id ${id} here`]
    accept(id, ...notes, ...(record.owner === ROOT ? (root?.notes ?? []) : []))
    return { ...DEFAULTS, ...columns, id, user_id: owner, ...storedKey }
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

/** Before the first start there is none: the import makes the one that the start would. */
async function findRoot(tx: Database, { rootPassword }: ImportContext) {
  const random = await createFirstRoot({
    db: tx,
    ...(rootPassword !== undefined && { password: rootPassword }),
  })
  const notes =
    random === undefined ? [] : ['made the super administrator: tollgate root-password sets its password']
  return { id: (await findUserByRole(tx, ROLE.root))?.id, notes }
}
