import type { JsonObject } from '../../provider-kit/chat.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { listOf, objectOf, parseJson, textOf } from '../../provider-kit/json.ts'
import { readFailure } from '../../provider-kit/read-failure.ts'
import { withoutThinkingSuffix } from './thinking.ts'

const VERSION_DEFAULT = 'v1beta'

/** Under the API version that the channel's field `other` names. */
export const geminiUrl = ({ channel }: Pick<Call<unknown>, 'channel'>, path: string): string =>
  `${channel.baseUrl}/${channel.other || VERSION_DEFAULT}/${path}`

/** The key never stands in the address, where it would be logged. */
export const geminiHeaders = ({ channel }: Pick<Call<unknown>, 'channel'>): Record<string, string> => ({
  'x-goog-api-key': channel.key,
  'content-type': 'application/json',
})

export function toGenerateRequest(call: Call<unknown>, body: JsonObject) {
  const model = encodeURIComponent(withoutThinkingSuffix(call.model))
  const method = call.isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return {
    url: geminiUrl(call, `models/${model}:${method}`),
    headers: geminiHeaders(call),
    body: JSON.stringify(body),
  }
}

/**
 * A bad key comes as a 400, and so does a place from which the key may not be used: both are the channel's fault.
 * Source: ai.google.dev/gemini-api/docs/troubleshooting
 */
export function readGeminiFailure(status: number, body: string, headers: Headers): Failure {
  const failure = readFailure(status, body, headers)
  const json = parseJson(body)
  const error = objectOf(objectOf(Array.isArray(json) ? json[0] : json).error)
  const word = textOf(error.status)
  const details = listOf(error.details).map(objectOf)
  const reason = textOf(details.find(detail => detail.reason !== undefined)?.reason)
  const isKeyDead = reason === 'API_KEY_INVALID' || status === 403 || failure.isKeyDead
  return {
    ...failure,
    code: reason ?? word ?? failure.code,
    isKeyDead,
    isRetryable: isKeyDead || word === 'FAILED_PRECONDITION' || undefined,
    retryAfterSeconds: failure.retryAfterSeconds ?? retryDelayIn(details),
  }
}

/** `RetryInfo` says it as `"37s"`. */
function retryDelayIn(details: readonly JsonObject[]): number | undefined {
  const delay = textOf(details.find(detail => detail.retryDelay !== undefined)?.retryDelay)
  const seconds = Number.parseFloat(delay ?? '')
  return Number.isFinite(seconds) ? Math.ceil(seconds) : undefined
}
