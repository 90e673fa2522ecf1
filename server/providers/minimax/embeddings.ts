import { embeddingTexts } from '../../provider-kit/embedding-texts.ts'
import { countOf, isObject, listOf } from '../../provider-kit/json.ts'
import { bearerHeaders, openaiUrl } from '../../provider-kit/openai-compatible/transport.ts'
import type { EmbeddingsExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { readAnyFailure, readBaseFailure } from './failure.ts'

/** Texts are embedded as things to be found (`db`) unless the client says `query`. Source: platform.minimaxi.com/document/Embeddings */
export const embeddings: EmbeddingsExchange = {
  request: call => ({
    url: openaiUrl(call.channel.baseUrl, '/v1/embeddings'),
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      texts: embeddingTexts(call.body),
      type: call.body.type === 'query' ? 'query' : 'db',
    }),
  }),
  reply(json) {
    const failure = isObject(json) ? readBaseFailure(json) : undefined
    if (failure || !isObject(json) || !Array.isArray(json.vectors))
      return { kind: 'failure', failure: failure ?? readHiddenFailure(json) }
    return {
      kind: 'reply',
      reply: { vectors: json.vectors.map(vector => listOf(vector).map(Number)) },
      usage: usageFromTotals({ prompt: countOf(json.total_tokens), completion: 0 }),
    }
  },
  failure: readAnyFailure,
}
