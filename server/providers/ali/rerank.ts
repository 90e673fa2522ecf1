import { countOf, isObject, objectOf } from '../../provider-kit/json.ts'
import { readRerankResults } from '../../provider-kit/openai-compatible/rerank.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import type { RerankExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { documentText } from '../../provider-kit/rerank.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { readAliFailure } from './failure.ts'

/** Source: help.aliyun.com/zh/model-studio/text-rerank-api */
export const rerank: RerankExchange = {
  request: call => ({
    url: `${call.channel.baseUrl}/api/v1/services/rerank/text-rerank/text-rerank`,
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      input: { query: call.body.query, documents: call.body.documents.map(documentText) },
      parameters: {
        return_documents: call.body.return_documents ?? undefined,
        top_n: call.body.top_n ?? undefined,
      },
    }),
  }),
  reply(json) {
    const { results } = objectOf(objectOf(json).output)
    if (!isObject(json) || !Array.isArray(results))
      return { kind: 'failure', failure: readHiddenFailure(json) }
    const usage = usageFromTotals({ prompt: countOf(objectOf(json.usage).total_tokens), completion: 0 })
    return { kind: 'reply', reply: { results: readRerankResults(results) }, usage }
  },
  failure: readAliFailure,
}
