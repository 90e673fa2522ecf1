import { ROLE } from '#contract/enums.ts'
import type { ApiContext } from '../../api/context.ts'
import { findTokenOwner } from '../../db/accounts/tokens.ts'
import { checkRank } from '../rank.ts'
import { tokenError } from './errors.ts'

/** The owner of a token: the caller, or a user whom the caller may manage. Throws ApiError for any other token. */
export async function getManagedOwner(
  tokenId: number,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<{ readonly id: number; readonly isCaller: boolean }> {
  const owner = await findTokenOwner(db, tokenId)
  const isCaller = owner?.user_id === caller.id && mayAct(caller, owner)
  // An ordinary user learns of no token of others whether it exists.
  if (!owner || (!isCaller && caller.role < ROLE.admin)) throw tokenError('unknown')
  if (!isCaller) checkRank(owner, caller)
  return { id: owner.user_id, isCaller }
}

const mayAct = ({ member }: ApiContext['caller'], token: { readonly member_id: number }): boolean =>
  !member || member.seesAll || member.id === token.member_id
