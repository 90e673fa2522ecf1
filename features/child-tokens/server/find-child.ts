import { REQUEST_POLICIES } from '#contract/enums.ts'
import { withStorageTimeout } from '#server/core/async.ts'
import { GatewayError } from '#server/core/errors.ts'
import type { RateLimit } from '#server/core/rate-limit.ts'
import { type CallerRow, findCallersById, findCallersByKeyHash } from '#server/db/accounts/tokens.ts'
import type { Services } from '#server/feature.ts'
import { findEnd } from '#server/relay/admission/authenticate.ts'
import type { ClientConnection } from '#server/relay/request/client-connection.ts'
import { CHILD_PREFIX, hashChildKey } from './lifecycle.ts'
import { findParentId } from './queries.ts'

const MINUTE_MS = 60_000

type FinderDeps = Pick<Services, 'db' | 'secrets' | 'rateLimiter' | 'relay'>
type Client = Pick<ClientConnection, 'clientIp'>

/**
 * Finds child tokens by their keys, with what their parents allow now. Undefined at once for other keys. Throws GatewayError for
 * a key of no child, for one whose parent may not be used from here, and when the parent's rate is used up.
 */
export const createChildFinder =
  (deps: FinderDeps) =>
  (key: string, client: Client): Promise<CallerRow> | undefined =>
    key.startsWith(CHILD_PREFIX) ? findChild(key, client, deps) : undefined

async function findChild(key: string, client: Client, deps: FinderDeps): Promise<CallerRow> {
  const hash = hashChildKey(key, deps.secrets)
  const { child, parent } = await withStorageTimeout(readFamily(hash, deps))
  const end = parent ? findEnd(parent, client, deps.relay) : undefined
  if (!child || !parent)
    throw new GatewayError('invalid_api_key', {
      zh: '子令牌无效或已结束',
      en: 'the child token is not valid, or has ended',
    })
  if (end) throw end
  // A parent that has got a limit since: its children took none of it.
  if (parent.unlimited_quota === 0 && child.unlimited_quota === 1)
    throw new GatewayError('token_exhausted', {
      zh: '父令牌已有额度限制，请重新创建子令牌',
      en: 'the parent token has a quota now: create the child token anew',
    })
  await countForParent(parent, deps)
  return within(child, parent)
}

async function readFamily(hash: string, { db }: FinderDeps) {
  const child = (await findCallersByKeyHash(db, [hash])).get(hash)
  const parentId = child && (await findParentId(db, child.id))
  const parent = parentId === undefined ? undefined : (await findCallersById(db, [parentId])).get(parentId)
  return { child, parent }
}

/** All children and the parent itself share its rate. */
async function countForParent(
  { id, requests_per_minute: rate }: CallerRow,
  { rateLimiter }: Pick<FinderDeps, 'rateLimiter'>,
): Promise<void> {
  if (rate === 0) return
  const limit: RateLimit = { name: 'token requests', limit: rate, windowMs: MINUTE_MS }
  const { isAllowed, retryAfterMs } = await rateLimiter.take(limit, `token ${id}`)
  if (isAllowed) return
  const seconds = Math.ceil(retryAfterMs / 1000)
  throw new GatewayError(
    'too_many_requests',
    {
      zh: `父令牌每分钟最多请求 ${rate} 次，请在 ${seconds} 秒后重试`,
      en: `the limit of the parent token is ${rate} requests in 1 min; try again in ${seconds} s`,
    },
    { retryAfterSeconds: seconds },
  )
}

/** What both allow. The addresses of the parent were checked before. */
export const within = (child: CallerRow, parent: CallerRow): CallerRow => ({
  ...child,
  parent_id: parent.id,
  member_id: parent.member_id,
  project_id: parent.project_id,
  group: parent.group,
  ...modelsOf(child, parent),
  max_concurrency: leastLimit(child.max_concurrency, parent.max_concurrency),
  requests_per_minute: leastLimit(child.requests_per_minute, parent.requests_per_minute),
  service_tier: strictest(child.service_tier, parent.service_tier),
  server_tools: strictest(child.server_tools, parent.server_tools),
})

function modelsOf(
  child: CallerRow,
  parent: CallerRow,
): Pick<CallerRow, 'model_limits_enabled' | 'model_limits'> {
  if (parent.model_limits_enabled === 0) return child
  if (child.model_limits_enabled === 0) return parent
  const allowed = new Set(parent.model_limits.split(','))
  const models = child.model_limits.split(',').filter(model => allowed.has(model))
  return { model_limits_enabled: 1, model_limits: models.join(',') }
}

/** 0 is no limit. */
const leastLimit = (a: number, b: number): number => (a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b))

/** From the most lenient to the strictest. */
const strictest = (a: CallerRow['service_tier'], b: CallerRow['service_tier']): CallerRow['service_tier'] =>
  REQUEST_POLICIES.indexOf(a) > REQUEST_POLICIES.indexOf(b) ? a : b
