import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import type { EmbeddingsAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, isObject } from '../../provider-kit/json.ts'
import { bearerHeaders, openaiUrl } from '../../provider-kit/transport.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { readAnyFailure, readBaseFailure } from './failure.ts'

/** Texts are embedded as things to be found (`db`) unless the client says `query`. Source: platform.minimaxi.com/document/Embeddings */
export const embeddings: EmbeddingsAdapter = {
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
      return { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
    return {
      kind: 'reply',
      reply: { vectors: json.vectors.map(vector => asArray(vector).map(Number)) },
      usage: usageFromTotals({ prompt: asCount(json.total_tokens), completion: 0 }),
    }
  },
  failure: readAnyFailure,
}
