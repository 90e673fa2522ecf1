import { NO_USAGE } from '../../core/usage.ts'
import { embeddingTexts } from '../../provider-kit/embedding-texts.ts'
import { countOf, isObject, listOf, objectOf } from '../../provider-kit/json.ts'
import type { EmbeddingsExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { readVertexFailure } from './chat.ts'
import { vertexHeaders, vertexUrl } from './transport.ts'

const ONE_AT_A_TIME = /^gemini-embedding/

/** Source: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
export const embeddings: EmbeddingsExchange = {
  request(call) {
    const { body, model } = call
    const texts = embeddingTexts(body)
    if (ONE_AT_A_TIME.test(model) && texts.length > 1)
      refuse('input', `${texts.length} texts`, `one for ${model}`)
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
      return { kind: 'failure', failure: readHiddenFailure(json) }
    const rows = json.predictions.map(prediction => objectOf(objectOf(prediction).embeddings))
    const vectors = rows.map(({ values }) => listOf(values).map(Number))
    const input = rows.reduce((sum, { statistics }) => sum + countOf(objectOf(statistics).token_count), 0)
    return { kind: 'reply', reply: { vectors }, usage: input > 0 ? { ...NO_USAGE, input } : undefined }
  },
  failure: readVertexFailure,
}
