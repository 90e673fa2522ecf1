import { getReauthentication } from '#contract/accounts/reauthentication.ts'
import type { User } from '#contract/entities/user.ts'
import { toast } from '../../ui/overlays/messages.tsx'
import { call, errorText } from '../api/call.ts'
import { createQuestion } from './question.ts'

/** Whether users have confirmed their identity. */
const confirmation = createQuestion(false)
/** Who has completed a sign-in with a second factor. */
export const secondStep = createQuestion<User | undefined>(undefined)

export const {
  ask: askToReauthenticate,
  usePending: usePendingReauthentication,
  isOpen: isReauthenticating,
  cancel: cancelReauthentication,
} = confirmation

/**
 * Asks for the identity before something that cannot be repeated afterwards, such as a round trip to an identity provider.
 * Resolves to false when the user declines or the server cannot be asked.
 */
export async function ensureRecentSignIn(): Promise<boolean> {
  try {
    return (await call(getReauthentication, {})).is_recent || (await askToReauthenticate())
  } catch (error) {
    toast('error', errorText(error))
    return false
  }
}
