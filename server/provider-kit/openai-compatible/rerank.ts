import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../chat.ts'
import { countOf, isObject, listOf, objectOf, textOf } from '../json.ts'
import type { RerankExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import type { RerankBody, RerankDocument, RerankResult } from '../rerank.ts'
import { usageFromTotals } from '../usage-buckets.ts'
import { failureReader } from './dead-key-signs.ts'
import { type EndpointDifferences, jsonRequest } from './endpoint.ts'

/** Rerank for the vendors that follow Jina, which nearly all do; OpenAI has none. Source: api.jina.ai/redoc */
export function commonRerank(vendor: EndpointDifferences<RerankBody> = {}): RerankExchange {
  return {
    request: call => jsonRequest(call, '/v1/rerank', vendor),
    reply(json) {
      if (!isObject(json) || json.error || !Array.isArray(json.results))
        return { kind: 'failure', failure: readHiddenFailure(json) }
      const results = readRerankResults(json.results)
      return { kind: 'reply', reply: { model: textOf(json.model), results }, usage: readUsage(json) }
    },
    ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
  }
}

export const readRerankResults = (rows: unknown): readonly RerankResult[] =>
  listOf(rows)
    .map(objectOf)
    .map(({ index, relevance_score, document }) => ({
      index: countOf(index),
      score: Number(relevance_score) || 0,
      document: readDocument(document),
    }))

const readDocument = (document: unknown): RerankDocument | undefined =>
  typeof document === 'string' || isObject(document) ? document : undefined

/** In `usage`, in `meta.tokens`, or in older answers in `tokens`. */
function readUsage({ usage, meta, tokens }: JsonObject): Usage | undefined {
  const { total_tokens, prompt_tokens } = objectOf(usage)
  const counted = objectOf(isObject(meta) && isObject(meta.tokens) ? meta.tokens : tokens)
  const prompt = countOf(total_tokens) || countOf(prompt_tokens)
  return prompt > 0
    ? usageFromTotals({ prompt, completion: 0 })
    : usageFromTotals({
        prompt: countOf(counted.input_tokens),
        completion: countOf(counted.output_tokens),
      })
}
