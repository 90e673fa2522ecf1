import { ROLE } from '#contract/enums.ts'
import { checkRank } from '#server/accounts/rank.ts'
import { tokenError } from '#server/accounts/tokens/errors.ts'
import { findTokenByKey } from '#server/accounts/tokens/token-key.ts'
import type { ApiContext } from '#server/api/context.ts'
import { forEachRow, handle, type Route } from '#server/api/handle.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { updateToken } from '#server/db/accounts/tokens.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import * as endpoints from '../contract/all-tokens.ts'
import { type AdministeredRow, countAllTokens, findAdministeredToken, listAllTokens } from './queries.ts'
import { checkUsable } from './update.ts'
import { toMaskedToken } from './view.ts'

/** What administrators do with the tokens of others. */
export const administrationRoutes: readonly Route[] = [
  handle(endpoints.listAllTokens, async ({ reader, caller, secrets, query: { p, page_size, ...query } }) => {
    const filter = { ...query, ownId: caller.id, belowRole: belowRole(caller) }
    const [rows, total] = await Promise.all([
      listAllTokens(reader, filter, { offset: (p - 1) * page_size, limit: page_size }),
      countAllTokens(reader, filter),
    ])
    return { items: rows.map(row => toAdministeredToken(row, secrets)), total, page: p, page_size }
  }),

  handle(endpoints.findTokenByKey, async ({ db, caller, secrets, body: { key } }) => {
    const found = await findTokenByKey(db, key, secrets)
    const row = found && (await findAdministeredToken(db, found.id))
    if (!row) throw tokenError('key_not_found')
    requireRank(row, caller)
    return toAdministeredToken(row, secrets)
  }),

  handle(endpoints.updateAllTokensStatus, ({ body: { ids, status }, ...context }) =>
    forEachRow(ids, context, id => updateStatus(id, status, context)),
  ),
]

const belowRole = ({ role }: ApiContext['caller']): number =>
  role === ROLE.root ? Number.MAX_SAFE_INTEGER : role

/** Everybody may see and stop their own. */
function requireRank({ user_id, role }: AdministeredRow, caller: ApiContext['caller']): void {
  if (user_id !== caller.id) checkRank({ role }, caller)
}

const updateStatus = (
  id: number,
  status: 1 | 2,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<void> =>
  inTransaction(db, async tx => {
    const row = await findAdministeredToken(tx, id)
    if (!row) throw tokenError('unknown')
    requireRank(row, caller)
    if (status === 1) checkUsable(row)
    await updateToken(tx, id, { status })
  })

const toAdministeredToken = (row: AdministeredRow, secrets: Secrets): endpoints.AdministeredToken => ({
  ...toMaskedToken(row, secrets),
  username: row.username,
  owner_status: row.owner_status,
})
