import { toCells } from '#contract/entities/stored.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { TOKENS_PER_USER_MAX } from '#server/accounts/create-token.ts'
import { randomTokenKey } from '#server/accounts/tokens/token-key.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type Secrets, sha256, storeTokenKey } from '#server/core/crypto.ts'
import { GatewayError } from '#server/core/errors.ts'
import { type AmountFormat, formatQuota, quota } from '#server/core/money.ts'
import { countTokens, insertToken, NEVER_EXPIRES } from '#server/db/accounts/tokens.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { Services } from '#server/feature.ts'
import { setTokenLimit } from '#server/ledger/adjust.ts'
import type { ChildDraft } from './child-draft.ts'
import {
  type ChildRow,
  deleteChild,
  type EndedChild,
  findParentId,
  insertChild,
  listChildren,
  listEnded,
  lockToken,
  lockUnits,
  markEnded,
} from './queries.ts'

/** Keys of children: what comes behind it has the mark and the checksum of all keys. */
export const CHILD_PREFIX = 'ck-'
const CHILD_KEY_PURPOSE = 'child-token-key'
export const CHILDREN_MAX = 100
const ENDED_AT_ONCE = 100

/** Never that of an ordinary token, so that a child's key is worth nothing without its parent. */
export const hashChildKey = (key: string, secrets: Pick<Secrets, 'hash'>): string =>
  secrets.hash(CHILD_KEY_PURPOSE, key)

interface CreationDeps {
  readonly db: Database
  readonly secrets: Secrets
  readonly settings: Services['settings']
  readonly requestId: string
}

interface CreatedChild {
  readonly key: string
  readonly row: ChildRow
}

const REASON = { zh: '子令牌', en: 'Child token' }

/**
 * Creates a token within the limits of another, and moves its quota out of the limit of that. Throws GatewayError for what the
 * parent does not have.
 */
export function createChild(
  parentId: number,
  draft: ChildDraft,
  { db, secrets, settings, requestId }: CreationDeps,
): Promise<CreatedChild> {
  return inTransaction(db, async tx => {
    const parent = await lockToken(tx, parentId)
    if (!parent)
      throw new GatewayError('invalid_api_key', { zh: '该令牌已不存在', en: 'the token no longer exists' })
    await checkPlace(tx, parent)
    const taken = takenFrom(parent, draft.remain_quota, settings.current().values)
    const key = CHILD_PREFIX + randomTokenKey()
    const id = await insertToken(tx, { ...childRowOf(parent, draft), ...keyColumns(key, secrets) })
    await insertChild(tx, { token_id: id, parent_id: parentId, taken })
    const cause = { userId: parent.user_id, actorId: 0, reason: REASON, requestId }
    if (taken > 0)
      await setTokenLimit(tx, { ...cause, tokenId: parentId, remain: quota(parent.remain_quota - taken) })
    if (draft.remain_quota !== undefined)
      await setTokenLimit(tx, { ...cause, tokenId: id, remain: quota(draft.remain_quota) })
    const row = await lockToken(tx, id)
    if (!row) throw new Error('a token that was just created is gone')
    return { key, row }
  })
}

/** The key is shown once, like that of which only a hash is known. */
const keyColumns = (key: string, secrets: Secrets) => ({
  key_hash: hashChildKey(key, secrets),
  key_sealed: storeTokenKey(secrets, { sha256: sha256(key) }).key_sealed,
})

function childRowOf(parent: ChildRow, draft: ChildDraft) {
  const now = nowSeconds()
  const expiry = now + draft.expires_in
  checkModels(parent, draft.model_limits)
  return {
    ...toCells(TokenFields, draft),
    user_id: parent.user_id,
    member_id: parent.member_id,
    project_id: parent.project_id,
    created_time: now,
    accessed_time: now,
    group: parent.group,
    expired_time: parent.expired_time === NEVER_EXPIRES ? expiry : Math.min(expiry, parent.expired_time),
    unlimited_quota: draft.remain_quota === undefined ? 1 : 0,
    model_limits_enabled: draft.model_limits === '' ? 0 : 1,
  } as const
}

async function checkPlace(tx: Database, parent: ChildRow): Promise<void> {
  if ((await findParentId(tx, parent.id)) !== undefined)
    throw new GatewayError('invalid_request', {
      zh: '子令牌不能再创建子令牌',
      en: 'a child token creates no child tokens',
    })
  const siblings = await listChildren(tx, parent.id, CHILDREN_MAX)
  const owner = { id: parent.user_id, member: { id: parent.member_id, seesAll: false } }
  if (siblings.length >= CHILDREN_MAX || (await countTokens(tx, owner)) >= TOKENS_PER_USER_MAX)
    throw new GatewayError('too_many_requests', {
      zh: `每个令牌最多同时有 ${CHILDREN_MAX} 个子令牌，每个用户最多 ${TOKENS_PER_USER_MAX} 个令牌`,
      en: `a token has at most ${CHILDREN_MAX} child tokens at a time, and a user ${TOKENS_PER_USER_MAX} tokens`,
    })
}

/** What a child takes out of the limit of its parent. */
function takenFrom(parent: ChildRow, units: number | undefined, format: AmountFormat): number {
  if (parent.unlimited_quota === 1) return 0
  if (units === undefined)
    throw new GatewayError('invalid_request', {
      zh: '该令牌有额度限制，子令牌须指定 remain_quota',
      en: 'the token has a quota, so its child needs a `remain_quota`, too',
    })
  if (units <= parent.remain_quota) return units
  const left = formatQuota(parent.remain_quota, format)
  const needed = formatQuota(units, format)
  throw new GatewayError('insufficient_token_quota', {
    zh: `该令牌剩余额度为 ${left.zh}，需要 ${needed.zh}`,
    en: `the token has ${left.en} left, ${needed.en} is needed`,
  })
}

function checkModels(parent: ChildRow, models: string): void {
  if (parent.model_limits_enabled === 0 || models === '') return
  const allowed = new Set(parent.model_limits.split(','))
  const foreign = models.split(',').filter(model => !allowed.has(model))
  if (foreign.length > 0)
    throw new GatewayError('invalid_request', {
      zh: `该令牌不能使用模型 ${foreign.join('、')}`,
      en: `the token may not use ${foreign.join(', ')}`,
    })
}

/**
 * Ends children that were deleted, or whose time or parent has ended: they are deleted at once, and what they have not spent goes
 * back to the parent when nothing of theirs is in progress any more. The row decides which process does it. Returns how many
 * are settled.
 */
export async function endChildren(db: Database): Promise<number> {
  const now = nowSeconds()
  let settled = 0
  for (const child of await listEnded(db, now, ENDED_AT_ONCE))
    settled += await inTransaction(db, async tx => {
      // Locked in the order of their ids, before the look at what is in progress: nothing is reserved in between.
      const parent = await lockUnits(tx, child.parent_id)
      const own = await lockUnits(tx, child.token_id)
      await deleteChild(tx, child.token_id, now)
      if (!(await markEnded(tx, child.token_id, now))) return 0
      if (parent && own) await giveBack(tx, child, { parent, own })
      return 1
    })
  return settled
}

interface Units {
  readonly remain_quota: number
  readonly user_id: number
}

/** Never more than the child was given: the owner may have raised its limit since. */
async function giveBack(
  tx: Database,
  { token_id, parent_id, taken }: EndedChild,
  { parent, own }: { readonly parent: Units; readonly own: Units },
): Promise<void> {
  const rest = Math.min(own.remain_quota, taken)
  if (rest <= 0) return
  const cause = { userId: own.user_id, actorId: 0, reason: REASON, requestId: '' }
  await setTokenLimit(tx, { ...cause, tokenId: token_id, remain: quota(own.remain_quota - rest) })
  await setTokenLimit(tx, { ...cause, tokenId: parent_id, remain: quota(parent.remain_quota + rest) })
}
