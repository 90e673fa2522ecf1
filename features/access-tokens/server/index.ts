import type { AnyEndpoint, BodyOf } from '#contract/endpoint.ts'
import { ROLE } from '#contract/enums.ts'
import { requireManaged } from '#server/accounts/rank.ts'
import { resourceOf } from '#server/api/access-scopes.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { ACCESS_TOKEN_PURPOSE } from '#server/core/crypto.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { insertSession } from '#server/db/accounts/sessions.ts'
import { findUser, updateUser } from '#server/db/accounts/users.ts'
import { defineFeature, type Services } from '#server/feature.ts'
import * as endpoints from '../contract.ts'
import { type AccessTokenRow, deleteTokenOfUser, listTokensOfUser, tokenIdOf } from './queries.ts'

const PREFIX = 'tlgt-at-'
const RANDOM_CHARS = 40
const TOKENS_MAX = 50

const tokenError = apiErrors('access-token', {
  unknown: { zh: '该访问令牌不存在', en: 'there is no such access token' },
  too_many: {
    zh: `每个用户最多 ${TOKENS_MAX} 个访问令牌`,
    en: `a user has at most ${TOKENS_MAX} access tokens`,
  },
  past: { zh: '过期时间已过', en: 'the expiry is in the past' },
})
const unknownResourceError = (resource: string) =>
  apiErrors('access-token', {
    unknown_resource: {
      zh: `没有您可访问的资源 ${resource}`,
      en: `there is no resource ${resource} that you may access`,
    },
  })('unknown_resource')

const routesOf = (resourcesOf: (role: number) => readonly string[]) => [
  handle(endpoints.listAccessTokens, async ({ params, ...context }) => {
    await requireManaged(params.id, context)
    const { db, reader, caller } = context
    const rows = await listTokensOfUser(reader, params.id, nowSeconds())
    const user = await findUser(db, params.id)
    const system = user?.access_token_hash ? [SYSTEM_TOKEN] : []
    return { items: [...rows.map(toView), ...system], resources: [...resourcesOf(caller.role)] }
  }),

  handle(endpoints.createAccessToken, async ({ body, ...context }) => {
    const known = resourcesOf(context.caller.role)
    const unknown = body.scopes
      .map(scope => scope.split(':')[0] ?? '')
      .find(name => name !== '*' && !known.includes(name))
    if (unknown !== undefined) throw unknownResourceError(unknown)
    return { token: await createToken(body, context) }
  }),

  handle(endpoints.deleteAccessToken, async ({ params: { id, token }, ...context }) => {
    await requireManaged(id, context)
    if (token === endpoints.SYSTEM_TOKEN_ID) await updateUser(context.db, id, { access_token_hash: null })
    else if (!(await deleteTokenOfUser(context.db, id, token))) throw tokenError('unknown')
  }),
]

async function createToken(
  { expires_time, scopes, ...limits }: BodyOf<typeof endpoints.createAccessToken>,
  { db, caller, secrets }: Pick<ApiContext, 'db' | 'caller' | 'secrets'>,
): Promise<string> {
  const now = nowSeconds()
  if (expires_time > 0 && expires_time <= now) throw tokenError('past')
  if ((await listTokensOfUser(db, caller.id, now)).length >= TOKENS_MAX) throw tokenError('too_many')
  const token = PREFIX + randomAlphanumeric(RANDOM_CHARS)
  await insertSession(db, {
    ...limits,
    id_hash: secrets.hash(ACCESS_TOKEN_PURPOSE, token),
    user_id: caller.id,
    scopes: [...new Set(scopes)].join(','),
    created_at: now,
    expires_at: expires_time || endpoints.NEVER_EXPIRES,
    authenticated_at: 0,
  })
  return token
}

const toView = (row: AccessTokenRow): endpoints.AccessToken => ({
  id: tokenIdOf(row.id_hash),
  name: row.name,
  scopes: (row.scopes ?? '').split(','),
  ips: row.ips,
  expires_time: row.expires_at === endpoints.NEVER_EXPIRES ? 0 : row.expires_at,
  created_time: row.created_at,
  used_time: row.used_at,
  address: row.address,
})

const SYSTEM_TOKEN: endpoints.AccessToken = {
  id: endpoints.SYSTEM_TOKEN_ID,
  name: '',
  scopes: [endpoints.ALL_SCOPES],
  ips: '',
  expires_time: 0,
  created_time: 0,
  used_time: 0,
  address: '',
}

/** What somebody of a role may name in scopes: public calls need none. */
function createResources(endpointsOf: () => readonly AnyEndpoint[]): (role: number) => readonly string[] {
  return role => {
    const callable = endpointsOf().filter(call => call.role !== 'visitor' && ROLE[call.role] <= role)
    const metrics = role >= ROLE.admin ? ['metrics'] : []
    return [...new Set([...callable.map(resourceOf), ...metrics])].toSorted()
  }
}

export const feature = defineFeature({
  start: (services: Services) => ({ routes: routesOf(createResources(() => services.endpoints())) }),
})
