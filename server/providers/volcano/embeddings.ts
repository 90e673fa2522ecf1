import type { AdapterCall, UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'
import { type EmbeddingsBody, embeddingTexts } from '../../provider-kit/contract/operations.ts'
import type { EmbeddingsAdapter } from '../../provider-kit/contract/provider.ts'
import { asArray, asObject, asString } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/operations.ts'
import { bearerHeaders, versionedUrl } from '../../provider-kit/transport.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import { revokedKey } from './dead-key.ts'

/** They make one vector of all that they are shown, texts and pictures. Source: volcengine.com/docs/82379/1523520 */
const SEES = /-vision/

const plain = openaiCompatibleEmbeddings({ path: '/api/v3/embeddings', revokedKey })

export const embeddings: EmbeddingsAdapter = {
  ...plain,
  request: call => (SEES.test(call.model) ? toMultimodal(call) : plain.request(call)),
  reply(json, call) {
    const { data, model, usage } = asObject(json)
    const { embedding } = asObject(data)
    if (!Array.isArray(embedding)) return plain.reply(json, call)
    const reply = { model: asString(model), vectors: [asArray(embedding).map(Number)] }
    return { kind: 'reply', reply, usage: readOpenaiUsage(usage) }
  },
}

function toMultimodal(call: AdapterCall<EmbeddingsBody>): UpstreamRequest {
  const { channel, model, body } = call
  const [text, ...more] = embeddingTexts(body)
  if (more.length > 0) invalidRequest('input', `${more.length + 1} texts`, 'one text a call for this model')
  return {
    url: versionedUrl(channel.baseUrl, '/api/v3/embeddings/multimodal'),
    headers: bearerHeaders(call),
    body: JSON.stringify({ ...body, model, input: [{ type: 'text', text }] }),
  }
}
