import { apiErrors } from '#server/core/api-error.ts'
import { MIB } from '#server/core/limits.ts'
import type { SafeFetch } from '#server/http-client/safe-fetch.ts'

const FEED_BYTES_MAX = 8 * MIB
const RESPONSE_TIMEOUT_MS = 20_000
const STATUS_OK = 200

const feedError = apiErrors('price_feed', {
  unreachable: { zh: '无法读取价格来源：{reason}', en: 'the price feed could not be read: {reason}' },
})

/** Fetches a price feed. Throws `price_feed.unreachable`. */
export type FetchPriceFeed = (url: string) => Promise<string>

export const createPriceFeed =
  (safeFetch: SafeFetch): FetchPriceFeed =>
  async url => {
    const result = await safeFetch({
      url,
      headers: { accept: 'application/json', 'user-agent': 'Tollgate' },
      bytesMax: FEED_BYTES_MAX,
      timeoutMs: RESPONSE_TIMEOUT_MS,
    })
    if (result.kind === 'failure') throw feedError('unreachable', { reason: result.reason })
    if (result.status !== STATUS_OK) throw feedError('unreachable', { reason: `HTTP ${result.status}` })
    return new TextDecoder().decode(result.bytes)
  }
