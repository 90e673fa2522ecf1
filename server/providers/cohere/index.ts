import { NO_USAGE } from '../../core/usage.ts'
import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import {
  defineProvider,
  type EmbeddingsAdapter,
  type ModelListAdapter,
} from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString, isObject } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { chat, readCohereFailure } from './chat.ts'
import { models } from './models.ts'
import { rerank } from './rerank.ts'

/** Source: docs.cohere.com/reference/embed. `input_type` may be given beside OpenAI's fields. */
const embeddings: EmbeddingsAdapter = {
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
    const rows = asObject(asObject(json).embeddings).float
    if (!Array.isArray(rows)) return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const input = asCount(asObject(asObject(asObject(json).meta).billed_units).input_tokens)
    const usage = input > 0 ? { ...NO_USAGE, input } : undefined
    return { kind: 'reply', reply: { vectors: rows.map(row => asArray(row).map(Number)) }, usage }
  },
  failure: readCohereFailure,
}

const listModels: ModelListAdapter = {
  request: call => ({
    method: 'GET',
    url: `${call.channel.baseUrl}/v1/models?page_size=1000`,
    headers: bearerHeaders(call),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.models))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const names = json.models.map(model => asString(asObject(model).name) ?? '')
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
