import * as endpoints from '#contract/entities/token.ts'
import { createToken, newKey, TOKENS_PER_USER_MAX } from '#server/accounts/create-token.ts'
import { tokenError } from '#server/accounts/tokens/errors.ts'
import { changeMatching } from '#server/api/change-matching.ts'
import type { ApiContext } from '#server/api/context.ts'
import { forEachRow, handle, handleResult } from '#server/api/handle.ts'
import { isSignInRecent } from '#server/api/recent-sign-in.ts'
import { nowSeconds } from '#server/core/clock.ts'
import {
  countTokens,
  deleteTokens,
  findToken,
  type TokenFilter,
  type TokenRow,
} from '#server/db/accounts/tokens.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import { deleteMatchingTokens, updateMatchingTokens } from '../contract/matching-tokens.ts'
import { rotateToken } from '../contract/rotation.ts'
import { administrationRoutes } from './all-tokens.ts'
import {
  findTokens,
  listTokenIds,
  listTokens,
  replaceKey,
  type TokenPage,
  updateTokenStatuses,
} from './queries.ts'
import { getOwnToken, updateTokenFields, updateTokenStatus } from './update.ts'
import { keyEnds, readKey, toNewToken, toToken } from './view.ts'

const HOUR_SECONDS = 3600

const routes = [
  handleResult(endpoints.listTokens, async ({ reader, caller, query: { p, size, ...query }, ...context }) => {
    const filter = { ...query, keyword: '' }
    const [rows, total] = await Promise.all([
      listTokens(reader, caller, filter, { ...query, offset: p * size, limit: size }),
      countTokens(reader, caller, filter),
    ])
    return { data: rows.map(row => toToken(row, context)), meta: { total, page: p, page_size: size } }
  }),

  handleResult(
    endpoints.searchTokens,
    async ({ reader, caller, query: { p, size, token, ...query }, ...context }) => {
      const found = await searchTokens(reader, { ...query, token }, { caller, ...context })
      return {
        data: found.slice(p * size, (p + 1) * size).map(row => toToken(row, context)),
        meta: { total: found.length, page: p, page_size: size },
      }
    },
  ),

  handle(endpoints.getToken, async ({ db, caller, params, ...context }) => {
    const row = await findToken(db, caller, params.id)
    if (!row) throw tokenError('unknown')
    return toToken(row, context)
  }),

  handle(endpoints.revealTokenKeys, async ({ db, caller, body, secrets }) => {
    const rows = await findTokens(db, caller, body.ids)
    const keys = rows.map(row => ({ id: row.id, key: readKey(row, secrets) }))
    const known = keys.filter(({ key }) => key !== '')
    if (keys.length > 0 && known.length === 0) throw tokenError('key_unknown')
    return known
  }),

  handle(endpoints.createToken, async ({ body, ...context }) =>
    toNewToken(await createToken(body, context), context.secrets),
  ),

  handle(endpoints.updateToken, async ({ body, query, ...context }) =>
    toToken(
      await (query.status_only ? updateTokenStatus(body, context) : updateTokenFields(body, context)),
      context,
    ),
  ),

  handle(endpoints.updateTokensBatch, ({ body: { ids, status }, ...context }) =>
    forEachRow(ids, context, id => updateTokenStatus({ id, status }, context)),
  ),

  handle(rotateToken, ({ params, body, db, caller, secrets }) =>
    inTransaction(db, async tx => {
      const token = await getOwnToken(tx, caller, params.id)
      const validUntil = nowSeconds() + body.overlap_hours * HOUR_SECONDS
      await replaceKey(tx, token, newKey(secrets).columns, validUntil)
      return toNewToken(await getOwnToken(tx, caller, params.id), secrets)
    }),
  ),

  handle(endpoints.deleteToken, ({ params, ...context }) => remove(params.id, context)),

  handle(endpoints.deleteTokens, ({ body, ...context }) =>
    forEachRow(body.ids, context, id => remove(id, context)),
  ),

  handle(updateMatchingTokens, ({ body: { filter, count, status }, ...context }) => {
    const owner = context.caller
    const change = (tx: Database, ids: readonly number[]) => updateTokenStatuses(tx, { owner, ids }, status)
    return changeMatching({ count, listIds: listMatchingIds(filter, context), change }, context)
  }),

  handle(deleteMatchingTokens, ({ body: { filter, count }, ...context }) => {
    const owner = context.caller
    const change = (tx: Database, ids: readonly number[]) => deleteTokens(tx, { owner, ids }, nowSeconds())
    return changeMatching({ count, listIds: listMatchingIds(filter, context), change }, context)
  }),
]

interface TokenSearch extends TokenFilter, Partial<Pick<TokenPage, 'sort' | 'order'>> {
  /** Part of the key; empty: any. */
  readonly token: string
}

type KeySearchDeps = Pick<ApiContext, 'caller' | 'secrets' | 'session'>

async function searchTokens(
  db: Database,
  { token, sort = 'id', order = 'desc', ...filter }: TokenSearch,
  { caller, ...context }: KeySearchDeps,
): Promise<TokenRow[]> {
  const rows = await listTokens(db, caller, filter, { sort, order, offset: 0, limit: TOKENS_PER_USER_MAX })
  return token === '' ? rows : rows.filter(keyMatcher(token, context))
}

/** Keys do not change, so only the first look searches them. */
const listMatchingIds =
  ({ token, ...filter }: TokenSearch, context: KeySearchDeps) =>
  async (db: Database, ids?: readonly number[]): Promise<number[]> =>
    ids
      ? listTokenIds(db, { owner: context.caller, ids }, filter)
      : (await searchTokens(db, { ...filter, token }, context)).map(row => row.id)

async function remove(id: number, { db, caller }: Pick<ApiContext, 'db' | 'caller'>): Promise<void> {
  if ((await deleteTokens(db, { owner: caller, ids: [id] }, nowSeconds())) === 0) throw tokenError('unknown')
}

/**
 * Keys are encrypted in the database, so they are searched in memory; the number of tokens per user is bounded. Where keys
 * are masked, a search must not reveal one character after another: only the whole key or the visible ends match.
 */
function keyMatcher(
  part: string,
  { secrets, session }: Pick<ApiContext, 'secrets' | 'session'>,
): (row: TokenRow) => boolean {
  const searched = part.replace(/^sk-/, '')
  if (isSignInRecent(session)) return row => readKey(row, secrets).includes(searched)
  return row => {
    const key = readKey(row, secrets)
    const [head, tail] = keyEnds(key)
    return key === searched || head.startsWith(searched) || tail.endsWith(searched)
  }
}

export const feature = defineFeature({ start: () => ({ routes: [...routes, ...administrationRoutes] }) })
