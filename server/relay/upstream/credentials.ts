import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { createProviderIo, type Send } from '../../http-client/send.ts'
import type { Credential } from '../../provider-kit/contract/operation-adapter.ts'
import type { Failure } from '../../provider-kit/failures.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'

/** A credential is renewed this long before it expires. */
const REFRESH_BEFORE_SECONDS = 300
const STATUS_UNAUTHENTICATED = 401
/** Channels with a cached credential. Above it the oldest is dropped. */
const CACHED_MAX = 10_000

/** Caches the short-lived credentials that some providers exchange for a key. Concurrent calls share one request. */
export interface Credentials {
  /**
   * Undefined when the provider takes the key itself. A GatewayError says why there is no credential, with status 401 when
   * the provider rejected the key.
   */
  get(channel: RoutedChannel): Promise<Credential | GatewayError | undefined>
  /** Drops a credential that the provider rejected; any credential of the channel by default. */
  forget(channel: CredentialOwner, rejected?: Credential): void
}

type CredentialOwner = Pick<RoutedChannel, 'id' | 'view'>

interface CachedCredential {
  readonly pending: Promise<Credential | GatewayError>
  /** Unix seconds. */
  refreshAt: number
  /** The last one that the provider issued. */
  lastIssued: Credential | undefined
}

export function createCredentials(send: Send): Credentials {
  const cache = new Map<string, CachedCredential>()

  const requestNew = (
    channel: RoutedChannel,
    lastIssued: Credential | undefined,
  ): CachedCredential['pending'] => {
    const pending = requestCredential(channel, send).then(result =>
      canReuse(lastIssued, result) ? lastIssued : result,
    )
    const key = cacheKey(channel)
    const entry: CachedCredential = { pending, refreshAt: Number.POSITIVE_INFINITY, lastIssued }
    cache.delete(key)
    cache.set(key, entry)
    const [oldest] = cache.keys()
    if (cache.size > CACHED_MAX && oldest !== undefined) cache.delete(oldest)
    return pending.then(result => {
      const isIssued = !(result instanceof GatewayError)
      entry.refreshAt = isIssued ? result.expiresAt - REFRESH_BEFORE_SECONDS : 0
      if (isIssued) entry.lastIssued = result
      return result
    })
  }

  return {
    async get(channel) {
      if (!channel.provider.credential) return undefined
      const entry = cache.get(cacheKey(channel))
      return entry && entry.refreshAt > nowSeconds() ? entry.pending : requestNew(channel, entry?.lastIssued)
    },
    forget(channel, rejected) {
      const key = cacheKey(channel)
      // Another request may have renewed it already.
      if (!rejected || cache.get(key)?.lastIssued === rejected) cache.delete(key)
    },
  }
}

/**
 * A provider may end a credential early. Whether a call that failed with one is worth repeating with a new one: once, since
 * a provider that rejects a new one rejects the key.
 */
export const isRejectedCredential = (credential: Credential | undefined, { status }: Failure): boolean =>
  credential !== undefined && status === STATUS_UNAUTHENTICATED

/** Each key has a credential of its own. */
const cacheKey = ({ id, view }: CredentialOwner): string => `${id} ${view.key}`

/** The last credential bridges an outage of the provider while it is valid, unless the provider rejects the key. */
const canReuse = (
  lastIssued: Credential | undefined,
  result: Credential | GatewayError,
): lastIssued is Credential =>
  lastIssued !== undefined &&
  lastIssued.expiresAt > nowSeconds() &&
  result instanceof GatewayError &&
  result.status !== STATUS_UNAUTHENTICATED

async function requestCredential(
  { provider, view }: RoutedChannel,
  send: Send,
): Promise<Credential | GatewayError> {
  try {
    return (
      (await provider.credential?.(view, createProviderIo(view, send))) ??
      new GatewayError('upstream_failed', { zh: '没有可用的凭证', en: 'there is no credential' })
    )
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
