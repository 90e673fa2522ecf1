import { callWithMeta } from '#console/app/api/call.ts'
import { queryClient } from '#console/app/api/query-client.ts'
import { forgetStartAccount } from '#console/app/api/start.ts'
import { currentUser, rememberUser } from '#console/app/session/session.ts'
import { rememberSignOutUrl } from '#console/app/session/sign-out-url.ts'
import { markSubmitted, wasSubmitted } from '#console/app/sign-in/oauth.ts'
import {
  bindTelegramByPost,
  signInWithGithub,
  signInWithLinuxdo,
  signInWithTelegram,
} from '#contract/accounts/oauth.ts'
import type { User } from '#contract/entities/user.ts'
import { finishOpenIdSignIn, type OpenIdOutcome } from '../contract/openid.ts'

type CallbackParams = Readonly<Record<string, string>>

/** How a callback ended; `spent` after a reload, since a code works once. */
export type CallbackOutcome =
  | { readonly kind: 'signedIn' }
  | { readonly kind: 'bound' }
  | { readonly kind: 'spent' }
  | { readonly kind: 'tested'; readonly test: NonNullable<OpenIdOutcome['test']> }

type Outcome =
  | { readonly kind: 'signedIn'; readonly user: User }
  | Exclude<CallbackOutcome, { kind: 'signedIn' }>

export interface OauthProvider {
  readonly name: string
  /** Whether the callback has all params. Providers send an error in place of the code. */
  readonly isComplete: (params: CallbackParams) => boolean
  /**
   * Names the account in a callback that has no state: anybody can send a link with an account of their own, so users are
   * asked before it is bound to theirs. Undefined when the state proves that this browser started the sign-in.
   */
  readonly unprovenAccount?: (params: CallbackParams) => string | undefined
  readonly finish: (params: CallbackParams) => Promise<Outcome>
}

const BIND_MESSAGE = 'bind'

const hasCode = ({ code, error, state }: CallbackParams): boolean => Boolean(state) && Boolean(code || error)

async function finishOauth(
  endpoint: typeof signInWithGithub | typeof signInWithLinuxdo,
  { code = '', state = '', error, error_description }: CallbackParams,
): Promise<Outcome> {
  const { data, message } = await callWithMeta(endpoint, { query: { code, state, error, error_description } })
  return message === BIND_MESSAGE ? BOUND : signedIn(data)
}

const BOUND = { kind: 'bound' } as const

/** Only a bound identity comes without a user. */
const signedIn = (user: User | undefined): Outcome => (user ? { kind: 'signedIn', user } : BOUND)

/** An OpenID provider, whose callbacks are below its slug. */
const openIdProvider = (slug: string): OauthProvider => ({
  name: slug,
  isComplete: hasCode,
  async finish(params) {
    const { data } = await callWithMeta(finishOpenIdSignIn, { params: { slug }, body: { params } })
    if (data.test) return { kind: 'tested', test: data.test }
    if (data.user) rememberSignOutUrl(data.sign_out_url)
    return signedIn(data.user)
  },
})

async function finishTelegram({
  id = '',
  auth_date = '',
  hash = '',
  ...rest
}: CallbackParams): Promise<Outcome> {
  const fields = { ...rest, id, auth_date, hash }
  // Without a state the gateway takes a script's word that the widget stood on its page, which is not so here.
  if (!currentUser())
    return signedIn((await callWithMeta(signInWithTelegram, { query: { state: '', ...fields } })).data)
  await callWithMeta(bindTelegramByPost, { body: fields })
  return BOUND
}

const PROVIDERS: Readonly<Record<string, OauthProvider>> = {
  github: {
    name: 'GitHub',
    isComplete: hasCode,
    finish: params => finishOauth(signInWithGithub, params),
  },
  linuxdo: {
    name: 'LINUX DO',
    isComplete: hasCode,
    finish: params => finishOauth(signInWithLinuxdo, params),
  },
  telegram: {
    name: 'Telegram',
    isComplete: ({ id, hash }) => Boolean(id) && Boolean(hash),
    unprovenAccount: ({ state, id, username, first_name }) =>
      state ? undefined : `${username || first_name || ''} (${id})`.trim(),
    finish: finishTelegram,
  },
}

/** The provider of a path such as `/oauth/github`. */
export function providerOf(path: string): OauthProvider | undefined {
  const name = path.split('/')[2] ?? ''
  if (Object.hasOwn(PROVIDERS, name)) return PROVIDERS[name]
  return name === '' ? undefined : openIdProvider(name)
}

export interface OauthCallback {
  readonly provider: OauthProvider
  readonly params: Readonly<Record<string, string>>
}

const submissions = new Map<string, Promise<CallbackOutcome>>()

const keyOf = (callback: OauthCallback): string => new URLSearchParams(callback.params).toString()

/** Submits a callback once. Rendering again returns the same promise; after a reload the outcome is `spent`. */
export function submitOnce(callback: OauthCallback): Promise<CallbackOutcome> {
  const key = keyOf(callback)
  const pending = submissions.get(key)
  if (pending) return pending
  return wasSubmitted(key) ? Promise.resolve({ kind: 'spent' }) : submitAgain(callback)
}

/** Submits again on request, after a network failure. */
export function submitAgain(callback: OauthCallback): Promise<CallbackOutcome> {
  const key = keyOf(callback)
  markSubmitted(key)
  const outcome = finish(callback)
  submissions.set(key, outcome)
  return outcome
}

async function finish({ provider, params }: OauthCallback): Promise<CallbackOutcome> {
  const outcome = await provider.finish(params)
  if (outcome.kind === 'tested') return outcome
  forgetStartAccount()
  if (outcome.kind === 'signedIn') rememberUser(outcome.user)
  void queryClient.invalidateQueries({ queryKey: ['self'] })
  return outcome
}
