import type { Usage } from '../../core/usage.ts'
import {
  type AdapterCall,
  bearerHeaders,
  type EmbeddingsAdapter,
  type ImageEditsAdapter,
  type UpstreamRequest,
  versionedUrl,
} from '../../provider-kit/contract/operation-adapter.ts'
import {
  type EmbeddingsBody,
  embeddingTexts,
  formFileToDataUrl,
  imageCount,
} from '../../provider-kit/contract/operations.ts'
import { usageFromTotals } from '../../provider-kit/extra-usage.ts'
import { createFailureReader, type RevokedKeySigns } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { openaiCompatibleImages, readImages } from '../../provider-kit/openai-compatible/media.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/operations.ts'
import { A_FILE, countOfImages, countOfTexts, invalidRequest } from '../../provider-kit/validation.ts'

/** These models return one vector for all inputs, texts and images. Source: volcengine.com/docs/82379/1523520 */
const SEES = /-vision/

/**
 * An invalid key, an unpaid account, or a limit set by the account itself. Source: volcengine.com/docs/82379/1299023
 */
export const revokedKey: RevokedKeySigns = {
  codes: ['AuthenticationError', 'AccountOverdueError', 'SetLimitExceeded'],
}

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
  if (more.length > 0)
    invalidRequest('input', countOfTexts(more.length + 1), {
      zh: '每次一段文本（该模型的限制）',
      en: 'one text per call for this model',
    })
  return {
    url: versionedUrl(channel.baseUrl, '/api/v3/embeddings/multimodal'),
    headers: bearerHeaders(call),
    body: JSON.stringify({ ...body, model, input: [{ type: 'text', text }] }),
  }
}

/** Applications ("bots") may report usage per called model only. Source: volcengine.com/docs/82379/1526787 */
export const readArkUsage = (json: JsonObject): Usage | undefined =>
  readOpenaiUsage(json.usage) ?? addModels(asObject(json.bot_usage))

function addModels({ model_usage }: JsonObject): Usage | undefined {
  const models = asArray(model_usage).map(asObject)
  const sum = (field: string): number => models.reduce((total, model) => total + asCount(model[field]), 0)
  return usageFromTotals({ prompt: sum('prompt_tokens'), completion: sum('completion_tokens') })
}

const PATH = '/api/v3/images/generations'

/** Source: volcengine.com/docs/82379/1541523 */
export const images = openaiCompatibleImages({ path: PATH, drop: ['quality', 'style', 'user'], revokedKey })

/** Generation and editing share an endpoint. The source images are part of the body. */
export const imageEdits: ImageEditsAdapter = {
  request(call) {
    const { image, mask, size, prompt, response_format } = call.body
    if (mask)
      invalidRequest('mask', A_FILE, { zh: '不带蒙版（该供应商不支持）', en: 'none for this provider' })
    const count = imageCount(call.body)
    if (count > 1)
      invalidRequest('n', countOfImages(count), { zh: ' 1 张（该供应商的限制）', en: '1 for this provider' })
    return {
      url: versionedUrl(call.channel.baseUrl, PATH),
      headers: bearerHeaders(call),
      body: JSON.stringify({
        model: call.model,
        prompt,
        size,
        response_format,
        image: image.map(formFileToDataUrl),
      }),
    }
  },
  reply: readImages,
  failure: createFailureReader(revokedKey),
}
