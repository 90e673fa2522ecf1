import type { OptionValues } from '#contract/options/system-options.ts'
import type { User } from '#contract/accounts/users.ts'
import { constantTimeEqual } from '../../core/crypto.ts'
import { type Identity, refuseIdentity } from '../../integrations/identity.ts'
import type { ApiContext } from '../context.ts'
import type { Reply } from '../handle.ts'
import { bind } from './bind.ts'
import { makeAccountOf } from './make-account-of.ts'
import { refuseState } from './refuse.ts'
import { requireOn } from './require-on.ts'
import { signInAs } from './sign-in-as.ts'
import type { Way } from './ways.ts'

/** What a party sent people back with. */
interface Returned {
  readonly code: string
  readonly state: string
  readonly error?: string | undefined
  readonly error_description?: string | undefined
}

/**
 * Ends a sign-in that this session began: binds the identity when somebody is signed in, else signs in its owner, who
 * may be new. Whoever did not begin it here is refused before the code is spent.
 */
export async function comeBack(
  { code, state, error, error_description }: Returned,
  way: Way,
  context: ApiContext,
  ask: (code: string, values: OptionValues) => Promise<Identity>,
): Promise<Reply<User | undefined, Record<string, never>>> {
  const begun = await context.session.takeState()
  if (!begun || !constantTimeEqual(state, begun.state)) throw refuseState('wrong_state')
  const values = requireOn(way, context)
  const { party } = way
  if (error) throw refuseIdentity('declined', { party, reason: error_description || error })
  if (code === '') throw refuseIdentity('code_wrong', { party })
  const identity = await ask(code, values)
  if (context.caller.id !== 0) return bind(identity, way, context)
  const make = () => makeAccountOf(identity, way, begun.aff, context)
  return { data: await signInAs(identity, way, context, make) }
}
