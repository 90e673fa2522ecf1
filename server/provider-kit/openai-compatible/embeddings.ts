import type { JsonObject } from '../chat.ts'
import type { EmbeddingsBody } from '../embeddings.ts'
import type { Call } from '../exchange.ts'
import { countOf, isObject, objectOf, textOf } from '../json.ts'
import type { EmbeddingsExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { adjustBody, type BodyDifferences } from './adjust-body.ts'
import { type DeadKeySigns, failureReader } from './dead-key-signs.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'
import { readOpenaiUsage } from './usage.ts'

export interface OpenaiCompatibleEmbeddings extends BodyDifferences {
  readonly path?: string
  /** Where the address is not base and path. */
  readonly url?: (call: Call<EmbeddingsBody>) => string
  readonly headers?: (call: Call<EmbeddingsBody>) => Record<string, string>
  /** The last word on the body, for what data cannot say. */
  readonly adjust?: (body: JsonObject) => JsonObject
  readonly deadKey?: DeadKeySigns
}

/**
 * Embeddings for vendors that follow OpenAI. Answers are rewritten and not passed on: many servers send numbers although
 * base64 was asked for, which OpenAI's own clients cannot read. Source: platform.openai.com/docs/api-reference/embeddings
 */
export function openaiCompatibleEmbeddings(vendor: OpenaiCompatibleEmbeddings = {}): EmbeddingsExchange {
  return {
    request: (call: Call<EmbeddingsBody>) => {
      const body = adjustBody({ ...call.body, model: call.model }, vendor)
      return {
        url: vendor.url?.(call) ?? openaiUrl(call.channel.baseUrl, vendor.path ?? '/v1/embeddings'),
        headers: vendor.headers?.(call) ?? bearerHeaders(call),
        body: JSON.stringify(vendor.adjust?.(body) ?? body),
      }
    },
    ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
    reply(json) {
      if (!isObject(json) || json.error || !Array.isArray(json.data))
        return { kind: 'failure', failure: readHiddenFailure(json) }
      const rows = json.data.map(objectOf).sort((a, b) => countOf(a.index) - countOf(b.index))
      const vectors = rows.map(row => toVector(row.embedding))
      return {
        kind: 'reply',
        reply: { model: textOf(json.model), vectors },
        usage: readOpenaiUsage(json.usage),
      }
    },
  }
}

const toVector = (embedding: unknown): readonly number[] | string => {
  if (typeof embedding === 'string') return embedding
  return Array.isArray(embedding) ? embedding.map(Number) : []
}
