import * as endpoints from '#contract/tokens.ts'
import { nowSeconds } from '../../core/clock.ts'
import { countTokens, deleteToken, findToken, listTokens } from '../../db/accounts/tokens.ts'
import type { ApiContext } from '../context.ts'
import { forEachRow, handle, handleResult } from '../handle.ts'
import { createToken, TOKENS_PER_USER_MAX } from './create.ts'
import { tokenError } from './errors.ts'
import { updateTokenFields, updateTokenStatus } from './update.ts'
import { toToken } from './view.ts'

export const routes = [
  handleResult(endpoints.listTokens, async ({ db, caller, secrets, query: { p, size, ...query } }) => {
    const filter = { ...query, keyword: '' }
    const [rows, total] = await Promise.all([
      listTokens(db, caller.id, filter, { ...query, offset: p * size, limit: size }),
      countTokens(db, caller.id, filter),
    ])
    return { data: rows.map(row => toToken(row, secrets)), meta: { total, page: p, page_size: size } }
  }),

  handleResult(
    endpoints.searchTokens,
    async ({ db, caller, secrets, query: { p, size, token, ...query } }) => {
      const rows = await listTokens(db, caller.id, query, { ...query, offset: 0, limit: TOKENS_PER_USER_MAX })
      const found = rows.map(row => toToken(row, secrets)).filter(keyContains(token))
      return {
        data: found.slice(p * size, (p + 1) * size),
        meta: { total: found.length, page: p, page_size: size },
      }
    },
  ),

  handle(endpoints.getToken, async ({ db, caller, secrets, params }) => {
    const row = await findToken(db, caller.id, params.id)
    if (!row) throw tokenError('unknown')
    return toToken(row, secrets)
  }),

  handle(endpoints.createToken, async ({ body, secrets, ...context }) =>
    toToken(await createToken(body, { ...context, secrets }), secrets),
  ),

  handle(endpoints.updateToken, async ({ body, query, secrets, ...context }) =>
    toToken(
      await (query.status_only ? updateTokenStatus(body, context) : updateTokenFields(body, context)),
      secrets,
    ),
  ),

  handle(endpoints.updateTokensBatch, ({ body: { ids, status }, ...context }) =>
    forEachRow(ids, context, id => updateTokenStatus({ id, status }, context)),
  ),

  handle(endpoints.deleteToken, ({ params, ...context }) => remove(params.id, context)),

  handle(endpoints.deleteTokens, ({ body, ...context }) =>
    forEachRow(body.ids, context, id => remove(id, context)),
  ),
]

async function remove(id: number, { db, caller }: Pick<ApiContext, 'db' | 'caller'>): Promise<void> {
  if (!(await deleteToken(db, caller.id, id, nowSeconds()))) throw tokenError('unknown')
}

/** Keys are encrypted in the database, so they are searched in memory; the number of tokens per user is bounded. */
function keyContains(part: string): (token: endpoints.Token) => boolean {
  const keyPart = part.replace(/^sk-/, '')
  return token => token.key.includes(keyPart)
}
