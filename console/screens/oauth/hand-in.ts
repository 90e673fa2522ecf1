import { queryClient } from '../../app/api/query-client.ts'
import { rememberUser } from '../../app/session/session.ts'
import { markSubmitted, wasSubmitted } from '../../app/sign-in/oauth.ts'
import type { Party } from './parties.ts'

export type HandInOutcome = 'signedIn' | 'bound' | 'spent'

export interface HandIn {
  readonly party: Party
  readonly returned: Readonly<Record<string, string>>
}

const begun = new Map<string, Promise<HandInOutcome>>()

const keyOf = (handIn: HandIn): string => new URLSearchParams(handIn.returned).toString()

/** Hands in what was sent back, once: drawn anew it gives the same answer, loaded anew it is `spent`. */
export function handInOnce(handIn: HandIn): Promise<HandInOutcome> {
  const key = keyOf(handIn)
  const known = begun.get(key)
  if (known) return known
  return wasSubmitted(key) ? Promise.resolve('spent') : handInAgain(handIn)
}

/** The same when the reader asks for it, after a try that had no answer. */
export function handInAgain(handIn: HandIn): Promise<HandInOutcome> {
  const key = keyOf(handIn)
  markSubmitted(key)
  const outcome = finish(handIn)
  begun.set(key, outcome)
  return outcome
}

async function finish({ party, returned }: HandIn): Promise<HandInOutcome> {
  const user = await party.finish(returned)
  if (user) rememberUser(user)
  void queryClient.invalidateQueries({ queryKey: ['self'] })
  return user ? 'signedIn' : 'bound'
}
