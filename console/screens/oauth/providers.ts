import {
  bindTelegram,
  signInWithGithub,
  signInWithLinuxdo,
  signInWithTelegram,
} from '#contract/accounts/oauth.ts'
import type { User } from '#contract/accounts/users.ts'
import { callWithMeta } from '../../app/api/call.ts'
import { queryClient } from '../../app/api/query-client.ts'
import { currentUser, rememberUser } from '../../app/session/session.ts'
import { markSubmitted, wasSubmitted } from '../../app/sign-in/oauth.ts'

type Returned = Readonly<Record<string, string>>

/** Undefined: the identity was bound to whoever is signed in. */
type Outcome = User | undefined

export interface Party {
  readonly name: string
  /** What must stand in the address. An error of the party stands there instead of a code. */
  readonly isComplete: (returned: Returned) => boolean
  readonly finish: (returned: Returned) => Promise<Outcome>
}

const BOUND = 'bind'

const hasCode = ({ code, error, state }: Returned): boolean => Boolean(state) && Boolean(code || error)

async function finishOauth(
  endpoint: typeof signInWithGithub | typeof signInWithLinuxdo,
  { code = '', state = '', error, error_description }: Returned,
): Promise<Outcome> {
  const { data, message } = await callWithMeta(endpoint, { query: { code, state, error, error_description } })
  return message === BOUND ? undefined : data
}

async function finishTelegram({ id = '', auth_date = '', hash = '', ...rest }: Returned): Promise<Outcome> {
  const query = { ...rest, id, auth_date, hash }
  if (!currentUser()) return (await callWithMeta(signInWithTelegram, { query })).data
  await callWithMeta(bindTelegram, { query })
  return undefined
}

const PARTIES: Readonly<Record<string, Party>> = {
  github: {
    name: 'GitHub',
    isComplete: hasCode,
    finish: returned => finishOauth(signInWithGithub, returned),
  },
  linuxdo: {
    name: 'LINUX DO',
    isComplete: hasCode,
    finish: returned => finishOauth(signInWithLinuxdo, returned),
  },
  telegram: {
    name: 'Telegram',
    isComplete: ({ id, hash }) => Boolean(id) && Boolean(hash),
    finish: finishTelegram,
  },
}

/** The party that an address such as `/oauth/github` belongs to. */
export function partyOf(path: string): Party | undefined {
  const name = path.split('/')[2] ?? ''
  return Object.hasOwn(PARTIES, name) ? PARTIES[name] : undefined
}

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
