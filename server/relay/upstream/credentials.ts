import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Credential } from '../../provider-kit/exchange.ts'
import type { RoutedChannel } from '../routing/routed-channel.ts'
import { openProviderIo } from './provider-io.ts'
import type { Send } from './send.ts'

/** A credential is renewed when less than this is left of it. */
const LEAST_LIFE_SECONDS = 300
const STATUS_REFUSED = 401
/** Channels whose credentials are kept; beyond it the oldest is asked for again. */
const KEPT_MAX = 10_000

/** The short-lived credentials of channels whose vendor trades the key for one. Asked for once, however many wait. */
export interface Credentials {
  /** A GatewayError says why there is none; status 401 when the vendor refuses the key itself. */
  of(channel: RoutedChannel): Promise<Credential | GatewayError | undefined>
  /** After the vendor refused it: the next call asks for another. */
  forget(channel: CredentialOwner): void
}

type CredentialOwner = Pick<RoutedChannel, 'id' | 'view'>

interface Kept {
  readonly pending: Promise<Credential | GatewayError>
  expiresAt: number
  /** The last that the vendor gave. */
  given: Credential | undefined
}

export function openCredentials(send: Send): Credentials {
  const kept = new Map<string, Kept>()

  const renew = (channel: RoutedChannel, given: Credential | undefined): Kept['pending'] => {
    const pending = ask(channel, send).then(asked => (canStandIn(given, asked) ? given : asked))
    const owner = nameOf(channel)
    const entry: Kept = { pending, expiresAt: Number.POSITIVE_INFINITY, given }
    kept.delete(owner)
    kept.set(owner, entry)
    const [oldest] = kept.keys()
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
    return pending.then(credential => {
      const isGiven = !(credential instanceof GatewayError)
      entry.expiresAt = isGiven ? credential.expiresAt - LEAST_LIFE_SECONDS : 0
      if (isGiven) entry.given = credential
      return credential
    })
  }

  return {
    async of(channel) {
      if (!channel.provider.credential) return undefined
      const entry = kept.get(nameOf(channel))
      return entry && entry.expiresAt > nowSeconds() ? entry.pending : renew(channel, entry?.given)
    },
    forget(channel) {
      kept.delete(nameOf(channel))
    },
  }
}

/** Each key has a credential of its own. */
const nameOf = ({ id, view }: CredentialOwner): string => `${id} ${view.key}`

/** What is left of a credential is for times when another cannot be had. A key that is refused has none any more. */
const canStandIn = (given: Credential | undefined, asked: Credential | GatewayError): given is Credential =>
  given !== undefined &&
  given.expiresAt > nowSeconds() &&
  asked instanceof GatewayError &&
  asked.status !== STATUS_REFUSED

async function ask({ provider, view }: RoutedChannel, send: Send): Promise<Credential | GatewayError> {
  try {
    return (
      (await provider.credential?.(view, openProviderIo(view, send))) ??
      new GatewayError('upstream_failed', 'there is no credential')
    )
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
