import { NO_USAGE } from '../../core/usage.ts'
import type { EmbeddingsAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { imagenImages } from '../../provider-kit/gemini-generate/imagen.ts'
import { asArray, asCount, asObject, isObject } from '../../provider-kit/json.ts'
import { countOfTexts, invalidRequest } from '../../provider-kit/validation.ts'
import { chat, native, readVertexFailure } from './chat.ts'
import models from './models.json'
import { askForToken, vertexHeaders, vertexUrl } from './transport.ts'

const ONE_AT_A_TIME = /^gemini-embedding/

/** Source: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
const embeddings: EmbeddingsAdapter = {
  request(call) {
    const { body, model } = call
    const texts = embeddingTexts(body)
    if (ONE_AT_A_TIME.test(model) && texts.length > 1)
      invalidRequest('input', countOfTexts(texts.length), {
        zh: `一段（模型 ${model} 的限制）`,
        en: `one for ${model}`,
      })
    const instances = texts.map(content => ({ content, task_type: body.task_type }))
    const parameters = body.dimensions ? { outputDimensionality: body.dimensions } : undefined
    return {
      url: vertexUrl(call, 'v1', `publishers/google/models/${encodeURIComponent(model)}:predict`),
      headers: vertexHeaders(call),
      body: JSON.stringify({ instances, parameters }),
    }
  },
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.predictions))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const rows = json.predictions.map(prediction => asObject(asObject(prediction).embeddings))
    const vectors = rows.map(({ values }) => asArray(values).map(Number))
    const input = rows.reduce((sum, { statistics }) => sum + asCount(asObject(statistics).token_count), 0)
    return { kind: 'reply', reply: { vectors }, usage: input > 0 ? { ...NO_USAGE, input } : undefined }
  },
  failure: readVertexFailure,
}

/** Source: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api */
const images = imagenImages(
  (call, body) => ({
    url: vertexUrl(call, 'v1', `publishers/google/models/${encodeURIComponent(call.model)}:predict`),
    headers: vertexHeaders(call),
    body: JSON.stringify(body),
  }),
  readVertexFailure,
)

export const provider = defineProvider({
  type: 41,
  name: 'Vertex AI',
  popularity: 'popular',
  genAiName: 'gcp.vertex_ai',
  baseUrl: '',
  models,
  ownedBy: 'vertex-ai',
  form: {
    key: 'json',
    other: {
      label: { zh: '区域', en: 'Region' },
      placeholder: 'us-central1',
      defaultValue: 'us-central1',
    },
    notice: {
      zh: '密钥为服务账号的 JSON。区域可填写单个名称，也可填写按模型区分的 JSON：{"default": "us-central1", "claude-3-5-sonnet-20240620": "europe-west1"}。',
      en: 'The key is the JSON of a service account. The region is a single name, or JSON with a region for each model: {"default": "us-central1", "claude-3-5-sonnet-20240620": "europe-west1"}.',
    },
  },
  chat,
  native,
  embeddings,
  images,
  credential: askForToken,
})
