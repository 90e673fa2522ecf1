import { NO_USAGE } from '../../core/usage.ts'
import { embeddingTexts } from '../../provider-kit/embedding-texts.ts'
import { countOf, isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import {
  defineProvider,
  type EmbeddingsExchange,
  type ModelListExchange,
} from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { chat, readCohereFailure } from './chat.ts'
import { models } from './models.ts'
import { rerank } from './rerank.ts'

/** Source: docs.cohere.com/reference/embed. `input_type` may be given beside OpenAI's fields. */
const embeddings: EmbeddingsExchange = {
  request: call => ({
    url: `${call.channel.baseUrl}/v2/embed`,
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      texts: embeddingTexts(call.body),
      input_type: call.body.input_type ?? 'search_document',
      embedding_types: ['float'],
      output_dimension: call.body.dimensions ?? undefined,
    }),
  }),
  reply(json) {
    const rows = objectOf(objectOf(json).embeddings).float
    if (!Array.isArray(rows)) return { kind: 'failure', failure: readHiddenFailure(json) }
    const input = countOf(objectOf(objectOf(objectOf(json).meta).billed_units).input_tokens)
    const usage = input > 0 ? { ...NO_USAGE, input } : undefined
    return { kind: 'reply', reply: { vectors: rows.map(row => listOf(row).map(Number)) }, usage }
  },
  failure: readCohereFailure,
}

const listModels: ModelListExchange = {
  request: call => ({
    method: 'GET',
    url: `${call.channel.baseUrl}/v1/models?page_size=1000`,
    headers: bearerHeaders(call),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.models))
      return { kind: 'failure', failure: readHiddenFailure(json) }
    const names = json.models.map(model => textOf(objectOf(model).name) ?? '')
    return { kind: 'reply', reply: names.filter(name => name !== '') }
  },
  failure: readCohereFailure,
}

export const provider = defineProvider({
  type: 34,
  name: 'Cohere',
  baseUrl: 'https://api.cohere.ai',
  models,
  ownedBy: 'cohere',
  chat,
  embeddings,
  rerank,
  listModels,
})
