import type { OptionValues } from '#contract/options/system-options.ts'
import type { User } from '#contract/accounts/users.ts'
import { constantTimeEqual } from '../../core/crypto.ts'
import { type Identity, refuseIdentity } from '../../integrations/identity.ts'
import type { ApiContext } from '../context.ts'
import type { HandlerResult } from '../handle.ts'
import { claimUniqueColumn } from './bind.ts'
import { signInAs, createOauthAccount } from './sign-in-as.ts'
import { oauthStateError } from './refuse.ts'
import { type OauthProvider, requireEnabled } from './ways.ts'

/** What a party sent people back with. */
interface CallbackQuery {
  readonly code: string
  readonly state: string
  readonly error?: string | undefined
  readonly error_description?: string | undefined
}

/**
 * Ends a sign-in that this session began: binds the identity when somebody is signed in, else signs in its owner, who
 * may be new. Whoever did not begin it here is refused before the code is spent.
 */
export async function completeSignIn(
  { code, state, error, error_description }: CallbackQuery,
  way: OauthProvider,
  context: ApiContext,
  ask: (code: string, values: OptionValues) => Promise<Identity>,
): Promise<HandlerResult<User | undefined, Record<string, never>>> {
  const begun = await context.session.takeState()
  if (!begun || !constantTimeEqual(state, begun.state)) throw oauthStateError('wrong_state')
  const values = requireEnabled(way, context)
  const { displayName } = way
  if (error) throw refuseIdentity('declined', { party, reason: error_description || error })
  if (code === '') throw refuseIdentity('code_wrong', { party })
  const identity = await ask(code, values)
  if (context.caller.id !== 0) return claimUniqueColumn(identity, way, context)
  const make = () => createOauthAccount(identity, way, begun.aff, context)
  return { data: await signInAs(identity, way, context, make) }
}
