import { RECORDS } from '#contract/audited-records.ts'
import { TokenDraft } from '#contract/entities/token.ts'
import { LOG_TYPE, TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import { createToken, newKey } from '#server/accounts/create-token.ts'
import type { ApiContext } from '#server/api/context.ts'
import { ApiError } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type Secrets, TOKEN_KEY_PURPOSE } from '#server/core/crypto.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { deleteTokens, findToken, type TokenRow, updateToken } from '#server/db/accounts/tokens.ts'
import { findUser, type UserRow } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import { options } from '../options.ts'
import {
  type DeviceCodeRow,
  type DeviceGrantRow,
  deleteDeviceGrant,
  findDeviceGrant,
  findDeviceGrantOfToken,
  insertDeviceGrant,
  replaceTokenKey,
  rotateDeviceGrant,
} from './queries.ts'

const REFRESH_TOKEN_PURPOSE = 'refresh-token'
const NETWORK_PURPOSE = 'network'

type GrantDeps = Pick<ApiContext, 'db' | 'settings' | 'secrets' | 'log' | 'events'>

/** The program that signs in, and its request. */
interface Requester {
  readonly network: string
  readonly requestId: string
}

export interface TokenResponse {
  readonly accessToken: string
  readonly refreshToken: string
  /** Seconds. */
  readonly expiresIn: number
}

const MINUTE_SECONDS = 60
/** A program that is not used for this long signs in again. */
const REFRESH_SECONDS = 30 * 24 * 3600
const NEVER_EXPIRES = -1
const KEY_PREFIX = 'sk-'
const REFRESH_PREFIX = 'tgr_'
const FAMILY_CHARS = 32
const SECRET_CHARS = 48
const REFRESH_TOKEN = new RegExp(
  `^${REFRESH_PREFIX}([A-Za-z0-9]{${FAMILY_CHARS}})([A-Za-z0-9]{${SECRET_CHARS}})$`,
)

/**
 * Creates the token of a program that was let in, within the given transaction. Undefined when its owner may no longer
 * have it: banned, in another group, or with too many tokens.
 */
export async function grantToken(
  code: DeviceCodeRow,
  { network, requestId }: Requester,
  deps: GrantDeps,
): Promise<TokenResponse | undefined> {
  const { db, secrets } = deps
  const owner = await findActiveUser(code.user_id ?? 0, deps)
  if (!owner) return undefined
  const { seconds, expiresAt } = newExpiry(deps)
  const { ended } = await deps.events.changeStarted({
    db,
    secrets,
    options: deps.settings.options,
    credential: 'device',
    actorName: owner.username,
    action: 'device code exchanged',
    record: RECORDS.token,
    input: { user: owner.id, name: code.token_name },
    address: code.address,
    requestId,
  })
  const token = await createTokenFor(owner, code, { ...deps, expiresAt, requestId })
  if (!token) return undefined
  await ended({ code: '', data: { id: token.id } })
  const family = randomAlphanumeric(FAMILY_CHARS)
  const secret = randomAlphanumeric(SECRET_CHARS)
  await insertDeviceGrant(db, {
    family_hash: secrets.hash(REFRESH_TOKEN_PURPOSE, family),
    secret_hash: secrets.hash(REFRESH_TOKEN_PURPOSE, secret),
    user_id: owner.id,
    token_id: token.id,
    network_hash: secrets.hash(NETWORK_PURPOSE, network),
    access_expires_at: expiresAt,
    expires_at: nowSeconds() + REFRESH_SECONDS,
  })
  return {
    accessToken: KEY_PREFIX + secrets.decrypt(token.key_sealed),
    refreshToken: REFRESH_PREFIX + family + secret,
    expiresIn: seconds,
  }
}

async function findActiveUser(id: number, { db }: GrantDeps): Promise<UserRow | undefined> {
  const user = await findUser(db, id)
  return user?.status === USER_STATUS.enabled && user.deleted_at === null ? user : undefined
}

function newExpiry({ settings }: GrantDeps) {
  const seconds = settings.of(options).DeviceTokenMinutes * MINUTE_SECONDS
  return { seconds, expiresAt: nowSeconds() + seconds }
}

type TokenCreation = GrantDeps & { readonly expiresAt: number; readonly requestId: string }

async function createTokenFor(
  { id, username, role, group }: UserRow,
  code: DeviceCodeRow,
  { expiresAt, ...deps }: TokenCreation,
): Promise<TokenRow | undefined> {
  const draft = TokenDraft.parse({
    name: code.token_name,
    group: code.token_group,
    expired_time: expiresAt,
    unlimited_quota: true,
  })
  try {
    return await createToken(draft, { ...deps, caller: { id, username, role, group } })
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** Gives the program another key and another refresh token. Undefined when it must sign in again. */
export async function refreshToken(
  presented: string,
  { network, requestId }: Requester,
  deps: GrantDeps,
): Promise<TokenResponse | undefined> {
  const { db, secrets } = deps
  const [, family = '', secret = ''] = REFRESH_TOKEN.exec(presented) ?? []
  const grant = await findDeviceGrant(db, secrets.hash(REFRESH_TOKEN_PURPOSE, family), nowSeconds())
  if (!grant) return undefined
  const network_hash = secrets.hash(NETWORK_PURPOSE, network)
  if (secrets.hash(REFRESH_TOKEN_PURPOSE, secret) !== grant.secret_hash) {
    if (network_hash !== grant.network_hash) await endReusedGrant(grant, requestId, deps)
    return undefined
  }
  const owner = await findActiveUser(grant.user_id, deps)
  const token = owner && (await findToken(db, owner, grant.token_id))
  const expiry = token && nextExpiry(token, grant, deps)
  return expiry && rotate({ grant, token, family, network_hash, ...expiry }, deps)
}

/**
 * Ends the sign-in: two networks hold the same refresh token, so one of them has stolen it. Several windows on one computer
 * share their tokens, so a spent one from the network of the last use is only refused; the window then reads the new one.
 */
async function endReusedGrant(grant: DeviceGrantRow, requestId: string, { db }: GrantDeps): Promise<void> {
  const owner = await findUser(db, grant.user_id)
  const token = await findToken(db, { id: grant.user_id }, grant.token_id)
  await inTransaction(db, async tx => {
    await deleteDeviceGrant(tx, grant.family_hash)
    if (!owner || !token) return
    await updateToken(tx, token.id, { status: TOKEN_STATUS.disabled })
    await insertEventLog(tx, {
      type: LOG_TYPE.management,
      userId: owner.id,
      username: owner.username,
      content: {
        zh: `令牌 ${token.name} 的刷新令牌在两个网络中使用，可能已泄露，令牌已禁用`,
        en: `The refresh token of ${token.name} was used from two networks and may be stolen, so the token was disabled`,
      },
      requestId,
    })
  })
}

/** An expiry that the owner has set stays. Undefined when the token may not be renewed. */
function nextExpiry(
  { status, expired_time }: TokenRow,
  { access_expires_at }: DeviceGrantRow,
  deps: GrantDeps,
): { readonly seconds: number; readonly expiresAt: number } | undefined {
  if (status === TOKEN_STATUS.disabled) return undefined
  const next = newExpiry(deps)
  if (expired_time === access_expires_at) return next
  if (expired_time === NEVER_EXPIRES) return { ...next, expiresAt: NEVER_EXPIRES }
  const seconds = Math.min(next.seconds, expired_time - nowSeconds())
  return seconds > 0 ? { seconds, expiresAt: expired_time } : undefined
}

interface Rotation {
  readonly grant: DeviceGrantRow
  readonly token: TokenRow
  readonly family: string
  readonly network_hash: string
  readonly seconds: number
  readonly expiresAt: number
}

function rotate(
  { grant, token, family, network_hash, seconds, expiresAt }: Rotation,
  { db, secrets }: GrantDeps,
): Promise<TokenResponse | undefined> {
  const secret = randomAlphanumeric(SECRET_CHARS)
  const { key, columns } = newKey(secrets)
  const isOwnExpiry = token.expired_time === grant.access_expires_at
  return inTransaction(db, async tx => {
    const isRotated = await rotateDeviceGrant(tx, grant, {
      secret_hash: secrets.hash(REFRESH_TOKEN_PURPOSE, secret),
      network_hash,
      access_expires_at: isOwnExpiry ? expiresAt : grant.access_expires_at,
      expires_at: nowSeconds() + REFRESH_SECONDS,
    })
    if (!isRotated) return undefined
    const status = token.status === TOKEN_STATUS.expired ? TOKEN_STATUS.enabled : token.status
    await replaceTokenKey(tx, token.id, { ...columns, expired_time: expiresAt, status })
    return {
      accessToken: KEY_PREFIX + key,
      refreshToken: REFRESH_PREFIX + family + secret,
      expiresIn: seconds,
    }
  })
}

/** Deletes the token behind an access token or a refresh token of a program. Others are left alone. */
export async function revokeToken(presented: string, { db, secrets }: GrantDeps): Promise<void> {
  const grant = await findPresentedGrant(presented, { db, secrets })
  if (!grant) return
  await inTransaction(db, async tx => {
    await deleteDeviceGrant(tx, grant.family_hash)
    await deleteTokens(tx, { owner: { id: grant.user_id }, ids: [grant.token_id] }, nowSeconds())
  })
}

async function findPresentedGrant(
  presented: string,
  { db, secrets }: Pick<GrantDeps, 'db'> & { readonly secrets: Secrets },
): Promise<DeviceGrantRow | undefined> {
  const [, family, secret = ''] = REFRESH_TOKEN.exec(presented) ?? []
  if (family === undefined) {
    const key = presented.replace(KEY_PREFIX, '')
    return findDeviceGrantOfToken(db, secrets.hash(TOKEN_KEY_PURPOSE, key))
  }
  const grant = await findDeviceGrant(db, secrets.hash(REFRESH_TOKEN_PURPOSE, family), nowSeconds())
  return grant?.secret_hash === secrets.hash(REFRESH_TOKEN_PURPOSE, secret) ? grant : undefined
}
