import { embeddingTexts } from '../../provider-kit/embedding-texts.ts'
import type { EmbeddingsBody } from '../../provider-kit/embeddings.ts'
import type { Call, UpstreamRequest } from '../../provider-kit/exchange.ts'
import { listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/embeddings.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/usage.ts'
import type { EmbeddingsExchange } from '../../provider-kit/provider.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { versionedUrl } from '../../provider-kit/versioned-url.ts'
import { deadKey } from './dead-key.ts'

/** They make one vector of all that they are shown, texts and pictures. Source: volcengine.com/docs/82379/1523520 */
const SEES = /-vision/

const plain = openaiCompatibleEmbeddings({ path: '/api/v3/embeddings', deadKey })

export const embeddings: EmbeddingsExchange = {
  ...plain,
  request: call => (SEES.test(call.model) ? toMultimodal(call) : plain.request(call)),
  reply(json, call) {
    const { data, model, usage } = objectOf(json)
    const { embedding } = objectOf(data)
    if (!Array.isArray(embedding)) return plain.reply(json, call)
    const reply = { model: textOf(model), vectors: [listOf(embedding).map(Number)] }
    return { kind: 'reply', reply, usage: readOpenaiUsage(usage) }
  },
}

function toMultimodal(call: Call<EmbeddingsBody>): UpstreamRequest {
  const { channel, model, body } = call
  const [text, ...more] = embeddingTexts(body)
  if (more.length > 0) refuse('input', `${more.length + 1} texts`, 'one text a call for this model')
  return {
    url: versionedUrl(channel.baseUrl, '/api/v3/embeddings/multimodal'),
    headers: bearerHeaders(call),
    body: JSON.stringify({ ...body, model, input: [{ type: 'text', text }] }),
  }
}
