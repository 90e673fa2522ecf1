import ipaddr from 'ipaddr.js'
import { ROLE, TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import { batchLookups, withStorageTimeout } from '../../core/async.ts'
import { nowSeconds } from '../../core/clock.ts'
import { hashImportedKey, type Secrets, sha256, TOKEN_KEY_PURPOSE } from '../../core/crypto.ts'
import { GatewayError } from '../../core/errors.ts'
import { textsOf } from '../../core/language.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import {
  type CallerRow,
  findCallersByFormerHash,
  findCallersByKeyHash,
  markTokenExhausted,
  markTokenExpired,
} from '../../db/accounts/tokens.ts'
import type { Database } from '../../db/engine/database.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import { toRequestPolicy } from '../request/request-policy.ts'
import type { Caller, CallerToken, CallOwner, SettingsReader } from '../types.ts'
import { hasFreeModel, type WalletCheckDeps, type WalletOption } from './admit.ts'

export interface AuthDeps extends WalletCheckDeps {
  readonly db: Database
  readonly callers: CallerLookup
  readonly settings: SettingsReader<'UserUsableGroups' | WalletOption>
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
    throw new GatewayError('invalid_api_key', {
      zh: '未提供令牌，请在 Authorization 请求头中提供',
      en: 'no token was provided; send one in the Authorization header',
    })
  const foreign = await deps.callers.findForeign?.(presented.text, connection)
  const own = foreign ? undefined : await deps.callers.find(presented.key)
  const row = foreign ?? own ?? (await deps.callers.findOther(presented))
  if (!row) throw unknownToken()
  const { user_id: userId, username, id, name } = row
  try {
    if (!isUsable(row) && !mayUseFreeModels(row, deps)) await rejectUnusableToken(row, deps)
    rejectInactiveOwner(row)
    rejectForeignAddress(row, connection)
    return toCaller(row, resolveGroup(row, deps), own && readPinnedChannel(presented, row))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const group = row.group || row.user_group
    throw new RejectedToken(error, { userId, username, group, token: { id, name } })
  }
}

const unknownToken = (): GatewayError =>
  new GatewayError('invalid_api_key', { zh: '无效的令牌', en: 'the token is not valid' })

/** A known token that may not be used. Such a call has no caller, but its log row names the owner. */
export class RejectedToken extends GatewayError {
  readonly owner: CallOwner

  constructor(error: GatewayError, owner: CallOwner) {
    super(error.code, textsOf(error), { cause: error })
    this.owner = owner
  }
}

function toCaller(row: CallerRow, group: string, pinnedChannelId: number | undefined): Caller {
  return {
    userId: row.user_id,
    username: row.username,
    role: row.user_role,
    group,
    walletUnits: row.user_quota,
    isBounded: row.is_bounded !== 0,
    token: {
      id: row.id,
      subjects: subjectsOf(row),
      name: row.name,
      isLimited: row.unlimited_quota === 0,
      usedShare: row.unlimited_quota === 0 ? usedShareOf(row) : undefined,
      isRestricted: row.model_limits_enabled !== 0 || row.allow_ips !== '',
      models: row.model_limits_enabled ? new Set(row.model_limits.split(',').filter(Boolean)) : undefined,
      concurrency: row.max_concurrency,
      requestsPerMinute: row.requests_per_minute,
      policy: toRequestPolicy(row),
    },
    pinnedChannelId,
  }
}

/** Whose budgets bound the token beside its own and its account's. */
const subjectsOf = ({ parent_id = 0, member_id, project_id }: CallerRow): CallerToken['subjects'] =>
  Object.entries({ token: parent_id, member: member_id, project: project_id })
    .filter(([, id]) => id > 0)
    .map(([kind, id]) => ({ kind, id }))

const isUsable = (row: CallerRow): boolean =>
  row.status === TOKEN_STATUS.enabled && !isExpired(row) && !isExhausted(row)
const isExpired = (row: CallerRow): boolean => row.expired_time !== NEVER && row.expired_time < nowSeconds()
const isExhausted = (row: CallerRow): boolean => row.unlimited_quota === 0 && row.remain_quota <= 0

/** A spent token may still use what is free; the ledger rejects the rest. */
const mayUseFreeModels = (row: CallerRow, deps: WalletCheckDeps): boolean =>
  (row.status === TOKEN_STATUS.enabled || row.status === TOKEN_STATUS.exhausted) &&
  isExhausted(row) &&
  !isExpired(row) &&
  hasFreeModel(row.group || row.user_group, deps)

const usedShareOf = (row: CallerRow): number =>
  isExhausted(row) ? 1 : row.used_quota / (row.used_quota + row.remain_quota)

/** Stores the status that follows from the clock or the quota, so that the console shows it. */
async function rejectUnusableToken(row: CallerRow, { db }: Pick<AuthDeps, 'db'>): Promise<void> {
  const expired = isExpired(row)
  const exhausted = isExhausted(row)
  if (row.status === TOKEN_STATUS.enabled && expired) await withStorageTimeout(markTokenExpired(db, row.id))
  if (row.status === TOKEN_STATUS.enabled && !expired && exhausted)
    await withStorageTimeout(markTokenExhausted(db, row.id))
  rejectEndedToken(row)
  throw new GatewayError('token_exhausted', {
    zh: '该令牌额度已用尽',
    en: 'the quota of the token is used up',
  })
}

function rejectEndedToken(row: CallerRow): void {
  if (row.status === TOKEN_STATUS.expired || isExpired(row))
    throw new GatewayError('token_expired', { zh: '该令牌已过期', en: 'the token has expired' })
  if (row.status !== TOKEN_STATUS.enabled && row.status !== TOKEN_STATUS.exhausted)
    throw new GatewayError('token_disabled', { zh: '该令牌已禁用', en: 'the token is disabled' })
}

/** What let the client begin its response has ended. */
export const ACCESS_ENDED = new GatewayError('invalid_api_key', {
  zh: '令牌或登录已失效，响应已终止',
  en: 'the token or sign-in has ended, and this response with it',
})

/** Why the caller of something open may not go on. Undefined: it may. What it spends is another matter. */
export function findEnd(
  row: CallerRow | undefined,
  connection: Pick<ClientConnection, 'clientIp'>,
  deps: Pick<AuthDeps, 'settings'>,
): GatewayError | undefined {
  try {
    if (!row) throw unknownToken()
    rejectEndedToken(row)
    rejectInactiveOwner(row)
    rejectForeignAddress(row, connection)
    resolveGroup(row, deps)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

function rejectInactiveOwner(row: CallerRow): void {
  if (row.user_deleted_at !== null)
    throw new GatewayError('invalid_api_key', {
      zh: '该令牌的用户已不存在',
      en: 'the owner of the token no longer exists',
    })
  if (row.user_status !== USER_STATUS.enabled)
    throw new GatewayError('user_banned', { zh: '用户已被封禁', en: 'the owner of the token is banned' })
}

function rejectForeignAddress(
  { allow_ips: list }: CallerRow,
  connection: Pick<ClientConnection, 'clientIp'>,
): void {
  if (list === '') return
  const address = connection.clientIp()
  if (!isAddressAllowed(list, address))
    throw new GatewayError('ip_not_allowed', {
      zh: `该令牌不允许从 ${address} 使用`,
      en: `the token may not be used from ${address}`,
    })
}

/** The token's group if it has one, otherwise the owner's. */
function resolveGroup(row: CallerRow, { settings }: Pick<AuthDeps, 'settings'>): string {
  const { UserUsableGroups: userUsableGroups } = settings.current()
  const group = row.group || row.user_group
  if (row.group && row.group !== row.user_group && !Object.hasOwn(userUsableGroups, group))
    throw new GatewayError('group_not_allowed', {
      zh: `该令牌的用户无权使用分组 ${group}`,
      en: `the owner of the token may not use its group ${group}`,
    })
  return group
}

function readPinnedChannel({ channelText }: PresentedKey, row: CallerRow): number | undefined {
  if (channelText === undefined) return undefined
  if (row.user_role < ROLE.admin)
    throw new GatewayError('channel_choice_not_allowed', {
      zh: '普通用户不支持指定渠道',
      en: 'only administrators may choose a channel',
    })
  if (!/^\d+$/.test(channelText))
    throw new GatewayError('invalid_channel_id', {
      zh: `令牌末尾的渠道 ID 须为数字，实际为 ${JSON.stringify(channelText)}`,
      en: `the channel ID at the end of the token must be a number, found ${JSON.stringify(channelText)}`,
    })
  return Number(channelText)
}

async function authenticateSession(headers: Headers, connection: ClientConnection): Promise<Caller> {
  const user = await connection.session()
  if (!user && headers.has('authorization'))
    throw new GatewayError('access_token_not_supported', {
      zh: '操练场不支持访问令牌和 API 令牌，请登录控制台使用',
      en: 'the playground does not accept tokens or access tokens; sign in to the console instead',
    })
  if (!user)
    throw new GatewayError('unauthenticated', {
      zh: '请登录后使用操练场',
      en: 'sign in to use the playground',
    })
  return {
    userId: user.id,
    username: user.username,
    role: user.role,
    group: user.group,
    walletUnits: user.walletUnits,
    isBounded: user.isBounded ?? false,
    token: undefined,
    sessionHash: user.sessionHash,
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

/** An API key in the form `sk-KEY` or, for administrators who choose a channel, `sk-KEY-CHANNELID`. */
interface PresentedKey {
  /** Empty where the text after `sk-` begins with a dash, as keys of other gateways may. */
  readonly key: string
  readonly channelText: string | undefined
  /** All that the client sent, as other gateways hash it. */
  readonly text: string
}

const PROXY_NAME = 'midjourney-proxy'
const REALTIME_PROTOCOL_PREFIX = 'openai-insecure-api-key.'
const SCHEME = 'Bearer'
const BEARER = /^Bearer(\s|$)/i
const PREFIX = 'sk-'

/** Google's paths, those of Vertex AI, and the older ones with a method after the model. */
const GEMINI_PATH = /^\/v1(alpha|beta|beta1)\/|^\/v1\/(models\/.+:\w+$|(projects|publishers)\/)/
/** Where Azure's, Google's and Anthropic's clients put the key, on paths of any dialect. */
const KEY_HEADERS = ['api-key', 'x-goog-api-key', 'x-api-key'] as const

/** Reads the API key from wherever the SDKs of the supported dialects send it. Undefined when there is none. */
export function readPresentedKey(headers: Headers, url: URL): PresentedKey | undefined {
  const text = findKeyText(headers, url)
  if (!text) return undefined
  const named = withoutScheme(text)
  const bare = named.startsWith(PREFIX) ? named.slice(PREFIX.length) : named
  if (bare === '') return undefined
  const [key = '', channelText] = bare.split('-')
  return { key, channelText, text: named }
}

const withoutScheme = (text: string): string => (BEARER.test(text) ? text.slice(SCHEME.length) : text).trim()

function findKeyText(headers: Headers, url: URL): string | undefined {
  const { pathname } = url
  return (
    readRealtimeKey(headers.get('sec-websocket-protocol')) ??
    (isAnthropicClient(headers, pathname) ? nonEmpty(headers.get('x-api-key')) : undefined) ??
    (GEMINI_PATH.test(pathname) ? readGeminiKey(headers, url) : undefined) ??
    readAuthorization(headers) ??
    nonEmpty(headers.get('mj-api-secret')) ??
    KEY_HEADERS.map(name => nonEmpty(headers.get(name))).find(text => text !== undefined)
  )
}

const isAnthropicClient = (headers: Headers, pathname: string): boolean =>
  pathname.includes('/v1/messages') || headers.has('anthropic-version')

/** Some drawing clients put the name of their proxy here and the key into `mj-api-secret`. */
function readAuthorization(headers: Headers): string | undefined {
  const text = nonEmpty(headers.get('authorization'))
  return text?.endsWith(PROXY_NAME) && withoutScheme(text) === PROXY_NAME ? undefined : text
}

const readRealtimeKey = (protocols: string | null): string | undefined =>
  protocols
    ?.split(',')
    .map(protocol => protocol.trim())
    .find(protocol => protocol.startsWith(REALTIME_PROTOCOL_PREFIX))
    ?.slice(REALTIME_PROTOCOL_PREFIX.length)

const readGeminiKey = (headers: Headers, url: URL): string | undefined =>
  nonEmpty(headers.get('x-goog-api-key')) ?? nonEmpty(url.searchParams.get('key'))

const nonEmpty = (text: string | null): string | undefined => (text ? text : undefined)

/** Looks up tokens and their owners. Nothing is cached, so a change applies to the next request. */
export interface CallerLookup {
  /** Undefined for an unknown or deleted token. Throws GatewayError `storage_failed` when the database does not respond. */
  find(key: string): Promise<CallerRow | undefined>
  /**
   * The same for a token of which an import knew only the SHA-256 of its key, and for the key that a token had before, while
   * it is valid beside the new one.
   */
  findOther(presented: Pick<PresentedKey, 'key' | 'text'>): Promise<CallerRow | undefined>
  /** Keys that features know, such as those that an identity provider signs. */
  findForeign?(
    key: string,
    client: Pick<ClientConnection, 'clientIp'>,
  ): Promise<CallerRow | undefined> | undefined
}

interface CallerLookupDeps {
  readonly db: Database
  readonly log: Logger
  readonly secrets: Pick<Secrets, 'hash'>
}

export function createCallerLookup({ db, log, secrets }: CallerLookupDeps): CallerLookup {
  const logFailure = throttledLog(log, 'callers could not be looked up')
  const lookUpBy = (findCallers: typeof findCallersByKeyHash) =>
    batchLookups<string, CallerRow>(hashes =>
      withStorageTimeout(findCallers(db, hashes)).catch((error: unknown) => {
        logFailure({ error })
        throw error
      }),
    )
  const [current, former] = [lookUpBy(findCallersByKeyHash), lookUpBy(findCallersByFormerHash)]
  const hashOf = (key: string) => secrets.hash(TOKEN_KEY_PURPOSE, key)
  return {
    find: key => current(hashOf(key)),
    async findOther({ key, text }) {
      const imported = hashImportedKey(secrets, sha256(text))
      const rows = await Promise.all([current(imported), former(hashOf(key)), former(imported)])
      return rows.find(row => row !== undefined)
    },
  }
}
