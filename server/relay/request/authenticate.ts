import ipaddr from 'ipaddr.js'
import { ROLE, TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { type CallerRow, markTokenExhausted, markTokenExpired } from '../../db/accounts/tokens.ts'
import type { Database } from '../../db/engine/database.ts'
import type { Caller, SettingsReader } from '../types.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'
import { type PresentedKey, readPresentedKey } from './api-key.ts'
import type { ClientConnection } from './client-connection.ts'
import type { CallerLookup } from './find-caller.ts'

export interface AuthDeps {
  readonly db: Database
  readonly callers: CallerLookup
  readonly settings: SettingsReader<'userUsableGroups'>
}

/** `token`: an API key. `session`: the console's session cookie, for the playground. */
export type AuthMethod = 'token' | 'session'

const NEVER = -1

/** Identifies the caller. Throws GatewayError with the reason when the request is not allowed. */
export function authenticate(
  { headers }: Request,
  connection: ClientConnection,
  method: AuthMethod,
  deps: AuthDeps,
): Promise<Caller> {
  return method === 'session'
    ? authenticateSession(headers, connection)
    : authenticateToken(headers, connection, deps)
}

async function authenticateToken(
  headers: Headers,
  connection: ClientConnection,
  deps: AuthDeps,
): Promise<Caller> {
  const presented = readPresentedKey(headers, connection.url)
  if (!presented)
    throw new GatewayError('invalid_api_key', 'no API key was sent: put one in the Authorization header')
  const row = await deps.callers.find(presented.key)
  if (!row) throw new GatewayError('invalid_api_key', 'the API key is not known here')
  if (!isUsable(row)) await rejectUnusableToken(row, deps)
  rejectInactiveOwner(row)
  rejectForeignAddress(row, connection)
  return {
    userId: row.user_id,
    username: row.username,
    role: row.role,
    group: resolveGroup(row, deps),
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
  row.token_status === TOKEN_STATUS.enabled && !isExpired(row) && !isExhausted(row)
const isExpired = (row: CallerRow): boolean => row.expired_time !== NEVER && row.expired_time < nowSeconds()
const isExhausted = (row: CallerRow): boolean => row.unlimited_quota === 0 && row.remain_quota <= 0

/** Stores the status that follows from the clock or the quota, so that the console shows it. */
async function rejectUnusableToken(row: CallerRow, { db }: Pick<AuthDeps, 'db'>): Promise<void> {
  const expired = isExpired(row)
  const exhausted = isExhausted(row)
  if (row.token_status === TOKEN_STATUS.enabled && expired)
    await withStorageTimeout(markTokenExpired(db, row.token_id))
  if (row.token_status === TOKEN_STATUS.enabled && !expired && exhausted)
    await withStorageTimeout(markTokenExhausted(db, row.token_id))
  if (row.token_status === TOKEN_STATUS.expired || expired)
    throw new GatewayError('token_expired', 'the token has expired')
  if (row.token_status === TOKEN_STATUS.exhausted || exhausted)
    throw new GatewayError('token_exhausted', 'the quota of the token is used up')
  if (row.token_status !== TOKEN_STATUS.enabled)
    throw new GatewayError('token_disabled', 'the token is disabled')
}

function rejectInactiveOwner(row: CallerRow): void {
  if (row.user_deleted_at !== null)
    throw new GatewayError('invalid_api_key', 'the owner of the token is gone')
  if (row.user_status !== USER_STATUS.enabled)
    throw new GatewayError('user_banned', 'the owner of the token is banned')
}

function rejectForeignAddress({ allow_ips: list }: CallerRow, connection: ClientConnection): void {
  if (list === '') return
  const address = connection.clientIp()
  if (!isAddressAllowed(list, address))
    throw new GatewayError('ip_not_allowed', `the token may not be used from ${address}`)
}

/** The token's group if it has one, otherwise the owner's. */
function resolveGroup(row: CallerRow, { settings }: Pick<AuthDeps, 'settings'>): string {
  const { userUsableGroups } = settings.current()
  const group = row.token_group || row.user_group
  if (row.token_group && row.token_group !== row.user_group && !Object.hasOwn(userUsableGroups, group))
    throw new GatewayError('group_not_allowed', `the token's group ${group} is not open to its owner`)
  return group
}

function readPinnedChannel({ channelText }: PresentedKey, row: CallerRow): number | undefined {
  if (channelText === undefined) return undefined
  if (row.role < ROLE.admin)
    throw new GatewayError('channel_choice_not_allowed', 'only administrators may choose a channel')
  if (!/^\d+$/.test(channelText))
    throw new GatewayError(
      'invalid_channel_id',
      `a channel is chosen by its number, found ${JSON.stringify(channelText)}`,
    )
  return Number(channelText)
}

async function authenticateSession(headers: Headers, connection: ClientConnection): Promise<Caller> {
  const user = await connection.session()
  if (!user && headers.has('authorization'))
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
 * Whether a token's allow list (one address or CIDR range per line) contains an address. An empty list allows every
 * address; a list without a single valid line allows none.
 */
export function isAddressAllowed(list: string, address: string): boolean {
  if (!list) return true
  const lines = list
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
  if (lines.length === 0) return true
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return lines.some(line => matches(parsed, line))
}

function matches(address: ipaddr.IPv4 | ipaddr.IPv6, line: string): boolean {
  if (ipaddr.isValidCIDR(line)) {
    const [range, bits] = ipaddr.parseCIDR(line)
    return range.kind() === address.kind() && address.match([range, bits])
  }
  return ipaddr.isValid(line) && ipaddr.process(line).toNormalizedString() === address.toNormalizedString()
}
