import {
  updateTokensBatch,
  createToken,
  deleteToken as deleteTokenCall,
  deleteTokens,
  getToken,
  listTokens as listTokensCall,
  searchTokens,
  type Token,
  updateToken,
} from '#contract/tokens.ts'
import { nowSeconds } from '../../core/clock.ts'
import { countTokens, deleteToken, findToken, listTokens } from '../../db/tokens.ts'
import type { ApiContext } from '../context.ts'
import { eachRow } from '../each-row.ts'
import { handle, handleReply } from '../handle.ts'
import { changeStatus, changeToken } from './change-token.ts'
import { makeToken, TOKENS_PER_USER_MAX } from './make-token.ts'
import { refuse } from './refuse.ts'
import { toToken } from './token-view.ts'

export const routes = [
  handleReply(listTokensCall, async ({ db, caller, secrets, query: { p, size, ...query } }) => {
    const filter = { ...query, keyword: '' }
    const [rows, total] = await Promise.all([
      listTokens(db, caller.id, filter, { ...query, offset: p * size, limit: size }),
      countTokens(db, caller.id, filter),
    ])
    return { data: rows.map(row => toToken(row, secrets)), beside: { total, page: p, page_size: size } }
  }),

  handleReply(searchTokens, async ({ db, caller, secrets, query: { p, size, token, ...query } }) => {
    const rows = await listTokens(db, caller.id, query, { ...query, offset: 0, limit: TOKENS_PER_USER_MAX })
    const found = rows.map(row => toToken(row, secrets)).filter(keyHolds(token))
    return {
      data: found.slice(p * size, (p + 1) * size),
      beside: { total: found.length, page: p, page_size: size },
    }
  }),

  handle(getToken, async ({ db, caller, secrets, params }) => {
    const row = await findToken(db, caller.id, params.id)
    if (!row) throw refuse('unknown')
    return toToken(row, secrets)
  }),

  handle(createToken, async ({ body, secrets, ...context }) =>
    toToken(await makeToken(body, { ...context, secrets }), secrets),
  ),

  handle(updateToken, async ({ body, query, secrets, ...context }) =>
    toToken(await (query.status_only ? changeStatus(body, context) : changeToken(body, context)), secrets),
  ),

  handle(updateTokensBatch, ({ body: { ids, status }, ...context }) =>
    eachRow(ids, context, id => changeStatus({ id, status }, context)),
  ),

  handle(deleteTokenCall, ({ params, ...context }) => remove(params.id, context)),

  handle(deleteTokens, ({ body, ...context }) => eachRow(body.ids, context, id => remove(id, context))),
]

async function remove(id: number, { db, caller }: Pick<ApiContext, 'db' | 'caller'>): Promise<void> {
  if (!(await deleteToken(db, caller.id, id, nowSeconds()))) throw refuse('unknown')
}

/** Keys are sealed in the database, so parts of them are compared here; an owner has a bounded number of tokens. */
function keyHolds(part: string): (token: Token) => boolean {
  const wanted = part.replace(/^sk-/, '')
  return token => token.key.includes(wanted)
}
