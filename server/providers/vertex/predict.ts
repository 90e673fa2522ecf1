import { NO_USAGE } from '../../core/usage.ts'
import type { EmbeddingsAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { imagenImages } from '../../provider-kit/gemini-generate/imagen.ts'
import { asArray, asCount, asObject, isObject } from '../../provider-kit/json.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import { readVertexFailure } from './chat.ts'
import { vertexHeaders, vertexUrl } from './transport.ts'

const ONE_AT_A_TIME = /^gemini-embedding/

/** Source: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
export const embeddings: EmbeddingsAdapter = {
  request(call) {
    const { body, model } = call
    const texts = embeddingTexts(body)
    if (ONE_AT_A_TIME.test(model) && texts.length > 1)
      invalidRequest('input', `${texts.length} texts`, `one for ${model}`)
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
export const images = imagenImages(
  (call, body) => ({
    url: vertexUrl(call, 'v1', `publishers/google/models/${encodeURIComponent(call.model)}:predict`),
    headers: vertexHeaders(call),
    body: JSON.stringify(body),
  }),
  readVertexFailure,
)
