import { TokenDraft } from '#contract/entities/token.ts'
import { TOKEN_NAME_LENGTH_MAX } from '#contract/entities/token-fields.ts'
import { createToken } from '#server/accounts/create-token.ts'
import type { ApiContext } from '#server/api/context.ts'
import { readTokenKey } from '#server/core/crypto.ts'
import type { NewKey } from '../contract/fields.ts'
import { requireMember } from './access.ts'
import { setProject } from './queries/tokens.ts'

/** `db`: a transaction. */
export type KeyDeps = Pick<ApiContext, 'db' | 'caller' | 'settings' | 'secrets' | 'requestId'>

interface KeyDraft {
  readonly name: string
  /** 0: none. */
  readonly memberId?: number
  readonly projectId?: number
}

/** Creates a token of a member or a project, which only the wallet and budgets bound. */
export async function createKey(
  { name, memberId = 0, projectId = 0 }: KeyDraft,
  { caller, ...context }: KeyDeps,
): Promise<NewKey> {
  const owner = { ...caller, member: { ...requireMember(caller), id: memberId, seesAll: false } }
  const draft = TokenDraft.parse({
    name: [...name].slice(0, TOKEN_NAME_LENGTH_MAX).join(''),
    unlimited_quota: true,
  })
  const row = await createToken(draft, { ...context, caller: owner })
  if (projectId > 0) await setProject(context.db, row.id, projectId)
  return { id: row.id, name: row.name, key: readTokenKey(context.secrets, row.key_sealed).text ?? '' }
}
