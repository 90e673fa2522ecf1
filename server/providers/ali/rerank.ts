import { documentText } from '../../provider-kit/contract/operations.ts'
import type { RerankAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, isObject } from '../../provider-kit/json.ts'
import { readRerankResults } from '../../provider-kit/openai-compatible/operations.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { readAliFailure } from './failure.ts'

/** Source: help.aliyun.com/zh/model-studio/text-rerank-api */
export const rerank: RerankAdapter = {
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
    const { results } = asObject(asObject(json).output)
    if (!isObject(json) || !Array.isArray(results))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const usage = usageFromTotals({ prompt: asCount(asObject(json.usage).total_tokens), completion: 0 })
    return { kind: 'reply', reply: { results: readRerankResults(results) }, usage }
  },
  failure: readAliFailure,
}
