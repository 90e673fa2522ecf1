import { toCells } from '#contract/entities/stored.ts'
import type { TokenDraft } from '#contract/entities/token.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiContext } from '../api/context.ts'
import { nowSeconds } from '../core/clock.ts'
import { type Secrets, TOKEN_KEY_PURPOSE } from '../core/crypto.ts'
import { quota } from '../core/money.ts'
import { countTokens, findToken, insertToken, type NewToken, type TokenRow } from '../db/accounts/tokens.ts'
import { inTransaction } from '../db/engine/database.ts'
import { setTokenLimit } from '../ledger/adjust.ts'
import { tokenError } from './tokens/errors.ts'
import { randomTokenKey } from './tokens/token-key.ts'
import { usableGroups } from './usable-groups.ts'

export const TOKENS_PER_USER_MAX = 1000

type TokenCreationDeps = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'secrets' | 'requestId'>

/** Creates a token with a random key for the caller, and posts its initial quota. */
export function createToken(draft: TokenDraft, context: TokenCreationDeps): Promise<TokenRow> {
  const { db, caller, settings, requestId } = context
  checkGroup(draft.group, settings.current().values, caller.group)
  return inTransaction(db, async tx => {
    const owner = { id: caller.id, member: { id: memberOf(caller), seesAll: false } }
    if ((await countTokens(tx, owner)) >= TOKENS_PER_USER_MAX)
      throw tokenError('too_many', { most: TOKENS_PER_USER_MAX })
    const id = await insertToken(tx, newToken(draft, context))
    if (draft.remain_quota > 0)
      await setTokenLimit(tx, {
        tokenId: id,
        userId: caller.id,
        remain: quota(draft.remain_quota),
        actorId: caller.id,
        reason: { zh: '创建令牌', en: 'Token created' },
        requestId,
      })
    const token = await findToken(tx, caller, id)
    if (!token) throw tokenError('unknown')
    return token
  })
}

function newToken(draft: TokenDraft, { caller, secrets }: TokenCreationDeps): NewToken {
  const now = nowSeconds()
  return {
    ...toCells(TokenFields, draft),
    ...newKey(secrets).columns,
    user_id: caller.id,
    member_id: memberOf(caller),
    created_time: now,
    accessed_time: now,
  }
}

/** Whose token it is: that of a member who acts for the organisation only as one. */
const memberOf = ({ member }: ApiContext['caller']): number => (member && !member.seesAll ? member.id : 0)

/** Throws `token.unknown_group` for a group that the owner may not choose. Empty is the owner's group. */
export function checkGroup(group: string, values: OptionValues, ownGroup: string): void {
  if (group !== '' && !Object.hasOwn(usableGroups(values, ownGroup), group))
    throw tokenError('unknown_group', { group })
}

/** A random key, and the columns that store it. */
export function newKey(secrets: Secrets) {
  const key = randomTokenKey()
  return {
    key,
    columns: { key_hash: secrets.hash(TOKEN_KEY_PURPOSE, key), key_sealed: secrets.encrypt(key) },
  }
}
