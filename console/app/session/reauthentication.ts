import { getReauthentication } from '#contract/accounts/reauthentication.ts'
import { toast } from '../../ui/overlays/messages.tsx'
import { createStore, useStore } from '../../ui/store.ts'
import { call, errorText } from '../api/call.ts'

interface PendingReauthentication {
  readonly outcome: Promise<boolean>
  readonly respond: (isConfirmed: boolean) => void
}

const pending = createStore<PendingReauthentication | undefined>(undefined)

export const usePendingReauthentication = (): PendingReauthentication | undefined => useStore(pending)
export const isReauthenticating = (): boolean => pending.get() !== undefined

/** Opens the dialog in which users confirm their identity. Calls that need it at the same time share one dialog. */
export function askToReauthenticate(): Promise<boolean> {
  const open = pending.get()
  if (open) return open.outcome
  const { promise: outcome, resolve } = Promise.withResolvers<boolean>()
  const respond = (isConfirmed: boolean) => {
    pending.set(undefined)
    resolve(isConfirmed)
  }
  pending.set({ outcome, respond })
  return outcome
}

export const cancelReauthentication = (): void => pending.get()?.respond(false)

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
