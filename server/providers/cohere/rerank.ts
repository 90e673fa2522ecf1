import { documentText } from '../../provider-kit/contract/operations.ts'
import type { RerankAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asString, isObject } from '../../provider-kit/json.ts'
import { readRerankResults } from '../../provider-kit/openai-compatible/operations.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { readCohereFailure } from './chat.ts'

/** Documents are texts, and do not come back. Cohere counts searches, no tokens. Source: docs.cohere.com/reference/rerank */
export const rerank: RerankAdapter = {
  request: call => ({
    url: `${call.channel.baseUrl}/v2/rerank`,
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      query: call.body.query,
      documents: call.body.documents.map(documentText),
      top_n: call.body.top_n ?? undefined,
      max_tokens_per_doc: call.body.max_tokens_per_doc ?? undefined,
    }),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.results))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    return { kind: 'reply', reply: { model: asString(json.model), results: readRerankResults(json.results) } }
  },
  failure: readCohereFailure,
}
