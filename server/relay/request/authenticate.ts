import ipaddr from 'ipaddr.js'
import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { type CallerRow, markTokenExhausted, markTokenExpired } from '../../db/callers.ts'
import type { RelayContext } from '../relay-context.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'
import { type PresentedKey, readPresentedKey } from './api-key.ts'
import { ADMIN_ROLE, type Caller } from './caller.ts'
import type { ClientConnection } from './client-connection.ts'
import type { RequestAddress } from './request-url.ts'

const USER_ENABLED = 1
const TOKEN = { enabled: 1, expired: 3, exhausted: 4 } as const
const NEVER = -1

/** Finds the token and its owner and refuses whoever may not call. Throws GatewayError with the reason. */
export async function authenticate(
  request: Request,
  url: RequestAddress,
  door: ClientConnection,
  gateway: RelayContext,
): Promise<Caller> {
  const presented = readPresentedKey(request, url)
  if (!presented)
    throw new GatewayError('invalid_api_key', 'no API key was sent: put one in the Authorization header')
  const row = await gateway.callers.find(presented.key)
  if (!row) throw new GatewayError('invalid_api_key', 'the API key is not known here')
  if (!isUsable(row)) await rejectUnusableToken(row, gateway)
  rejectInactiveOwner(row)
  rejectForeignAddress(row, door)
  return {
    userId: row.user_id,
    username: row.username,
    role: row.role,
    group: resolveGroup(row, gateway),
    token: {
      id: row.token_id,
      name: row.token_name,
      isLimited: row.unlimited_quota === 0,
      models: row.model_limits_enabled ? new Set(row.model_limits.split(',').filter(Boolean)) : undefined,
      concurrency: row.max_concurrency,
      requestsPerMinute: row.requests_per_minute,
    },
    pinnedChannelId: readPinnedChannel(presented, row),
  }
}

const isUsable = (row: CallerRow): boolean =>
  row.token_status === TOKEN.enabled && !hasExpired(row) && !hasSpentAll(row)
const hasExpired = (row: CallerRow): boolean => row.expired_time !== NEVER && row.expired_time < nowSeconds()
const hasSpentAll = (row: CallerRow): boolean => row.unlimited_quota === 0 && row.remain_quota <= 0

async function rejectUnusableToken(row: CallerRow, { db }: RelayContext): Promise<void> {
  const isPast = hasExpired(row)
  const isSpent = hasSpentAll(row)
  if (row.token_status === TOKEN.enabled && isPast) await withStorageTimeout(markTokenExpired(db, row.token_id))
  if (row.token_status === TOKEN.enabled && !isPast && isSpent)
    await withStorageTimeout(markTokenExhausted(db, row.token_id))
  if (row.token_status === TOKEN.expired || isPast)
    throw new GatewayError('token_expired', 'the token has expired')
  if (row.token_status === TOKEN.exhausted || isSpent)
    throw new GatewayError('token_exhausted', 'the quota of the token is used up')
  if (row.token_status !== TOKEN.enabled) throw new GatewayError('token_disabled', 'the token is disabled')
}

function rejectInactiveOwner(row: CallerRow): void {
  if (row.user_deleted_at !== null)
    throw new GatewayError('invalid_api_key', 'the owner of the token is gone')
  if (row.user_status !== USER_ENABLED)
    throw new GatewayError('user_banned', 'the owner of the token is banned')
}

function rejectForeignAddress({ allow_ips: list }: CallerRow, door: ClientConnection): void {
  if (list === '') return
  const address = door.clientIp()
  if (!isAddressAllowed(list, address))
    throw new GatewayError('ip_not_allowed', `the token may not be used from ${address}`)
}

/** The token's group when it has one, else the owner's. */
function resolveGroup(row: CallerRow, gateway: RelayContext): string {
  const { userUsableGroups } = gateway.settings.current()
  const group = row.token_group || row.user_group
  if (row.token_group && row.token_group !== row.user_group && !Object.hasOwn(userUsableGroups, group))
    throw new GatewayError('group_not_allowed', `the token's group ${group} is not open to its owner`)
  return group
}

function readPinnedChannel({ channelText }: PresentedKey, row: CallerRow): number | undefined {
  if (channelText === undefined) return undefined
  if (row.role < ADMIN_ROLE)
    throw new GatewayError('channel_choice_not_allowed', 'only administrators may choose a channel')
  if (!/^\d+$/.test(channelText))
    throw new GatewayError(
      'invalid_channel_id',
      `a channel is chosen by its number, found ${JSON.stringify(channelText)}`,
    )
  return Number(channelText)
}

/** The playground's caller: the user signed in by cookie, who may choose one of their groups. */
export async function authenticateSession(request: Request, door: ClientConnection): Promise<Caller> {
  const user = await door.session()
  if (!user && request.headers.has('authorization'))
    throw new GatewayError(
      'access_token_not_supported',
      'the playground is for people: access tokens and API keys are not taken, sign in by cookie',
    )
  if (!user) throw new GatewayError('unauthenticated', 'sign in to use the playground')
  return {
    userId: user.id,
    username: user.username,
    role: user.role,
    group: user.group,
    token: undefined,
    pinnedChannelId: undefined,
  }
}

/**
 * Whether a token's list (one address or range per line) lets an address in. An empty list lets everybody in;
 * a list whose lines are all unreadable lets nobody in.
 */
export function isAddressAllowed(list: string, address: string): boolean {
  if (!list) return true
  const lines = list
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
  if (lines.length === 0) return true
  if (!ipaddr.isValid(address)) return false
  const own = ipaddr.process(address)
  return lines.some(line => matches(own, line))
}

function matches(own: ipaddr.IPv4 | ipaddr.IPv6, line: string): boolean {
  if (ipaddr.isValidCIDR(line)) {
    const [range, bits] = ipaddr.parseCIDR(line)
    return range.kind() === own.kind() && own.match([range, bits])
  }
  return ipaddr.isValid(line) && ipaddr.process(line).toNormalizedString() === own.toNormalizedString()
}
