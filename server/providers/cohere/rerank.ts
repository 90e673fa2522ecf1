import { isObject, textOf } from '../../provider-kit/json.ts'
import { readRerankResults } from '../../provider-kit/openai-compatible/rerank.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import type { RerankExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { documentText } from '../../provider-kit/rerank.ts'
import { readCohereFailure } from './chat.ts'

/** Documents are texts, and do not come back. Cohere counts searches, no tokens. Source: docs.cohere.com/reference/rerank */
export const rerank: RerankExchange = {
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
      return { kind: 'failure', failure: readHiddenFailure(json) }
    return { kind: 'reply', reply: { model: textOf(json.model), results: readRerankResults(json.results) } }
  },
  failure: readCohereFailure,
}
