import { nowSeconds } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { createProviderIo, type Send } from '#server/http-client/send.ts'
import type { ListVoices, Voice } from '#server/provider-kit/contract/provider.ts'
import type { RoutedChannel } from '#server/relay/routing/channel-directory.ts'

/** Providers rarely add voices. */
const KEPT_SECONDS = 300
/** A provider that fails is left alone this long. */
const FAILURE_KEPT_SECONDS = 15
/** Above it the oldest list is dropped. */
const LISTS_MAX = 1000

export interface VoiceListQuery {
  readonly channel: Pick<RoutedChannel, 'id' | 'view'>
  readonly list: ListVoices
  /** The provider's own name. */
  readonly model: string
}

/**
 * Caches the voices of providers: clients list them free of charge and as often as they like. Concurrent calls share
 * one request.
 */
export interface VoiceLists {
  /** A GatewayError says why the provider has told none. */
  get(query: VoiceListQuery): Promise<readonly Voice[] | GatewayError>
}

interface CachedList {
  readonly pending: Promise<readonly Voice[] | GatewayError>
  /** Unix seconds. */
  expiresAt: number
}

export function createVoiceLists(send: Send): VoiceLists {
  const cache = new Map<string, CachedList>()

  const request = (key: string, query: VoiceListQuery): CachedList => {
    const entry: CachedList = { pending: requestVoices(query, send), expiresAt: Number.POSITIVE_INFINITY }
    cache.delete(key)
    cache.set(key, entry)
    const [oldest] = cache.keys()
    if (cache.size > LISTS_MAX && oldest !== undefined) cache.delete(oldest)
    entry.pending.then(
      result => {
        entry.expiresAt =
          nowSeconds() + (result instanceof GatewayError ? FAILURE_KEPT_SECONDS : KEPT_SECONDS)
      },
      () => cache.delete(key),
    )
    return entry
  }

  return {
    get(query) {
      const key = cacheKey(query)
      const entry = cache.get(key)
      return (entry && entry.expiresAt > nowSeconds() ? entry : request(key, query)).pending
    },
  }
}

/** An update of the channel's key or address counts at once. */
const cacheKey = ({ channel: { id, view }, model }: VoiceListQuery): string =>
  JSON.stringify([id, view.key, view.baseUrl, model])

async function requestVoices(
  { channel: { view }, list, model }: VoiceListQuery,
  send: Send,
): Promise<readonly Voice[] | GatewayError> {
  try {
    return await list({ channel: view, model }, createProviderIo(view, send))
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
