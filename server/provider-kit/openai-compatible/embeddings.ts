import type { EmbeddingsBody } from '../embeddings.ts'
import type { Call } from '../exchange.ts'
import { countOf, isObject, objectOf, textOf } from '../json.ts'
import type { EmbeddingsExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { failureReader } from './dead-key-signs.ts'
import { type EndpointDifferences, jsonRequest } from './endpoint.ts'
import { readOpenaiUsage } from './usage.ts'

/**
 * Embeddings for vendors that follow OpenAI. Answers are rewritten and not passed on: many servers send numbers although
 * base64 was asked for, which OpenAI's own clients cannot read. Source: platform.openai.com/docs/api-reference/embeddings
 */
export function openaiCompatibleEmbeddings(
  vendor: EndpointDifferences<EmbeddingsBody> = {},
): EmbeddingsExchange {
  return {
    request: call => jsonRequest(withoutTaskType(call), '/v1/embeddings', vendor),
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

/** What the vectors are for is asked in other dialects only. */
function withoutTaskType(call: Call<EmbeddingsBody>): Call<EmbeddingsBody> {
  const { task_type, ...body } = call.body
  return { ...call, body: { ...body, model: call.body.model, input: call.body.input } }
}

const toVector = (embedding: unknown): readonly number[] | string => {
  if (typeof embedding === 'string') return embedding
  return Array.isArray(embedding) ? embedding.map(Number) : []
}
