import { NO_USAGE } from '../../core/usage.ts'
import {
  bearerHeaders,
  type EmbeddingsAdapter,
  type ModelListAdapter,
  type RerankAdapter,
} from '../../provider-kit/contract/operation-adapter.ts'
import { documentText, type EmbeddingsBody, embeddingTexts } from '../../provider-kit/contract/operations.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString, isObject } from '../../provider-kit/json.ts'
import { readRerankResults } from '../../provider-kit/openai-compatible/operations.ts'
import { chat, native, readCohereFailure } from './chat.ts'
import models from './models.json'

/** Embeddings. `input_type` may be sent next to OpenAI's fields. Source: docs.cohere.com/reference/embed */
const embeddings: EmbeddingsAdapter = {
  request: call => ({
    url: `${call.channel.baseUrl}/v2/embed`,
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      texts: embeddingTexts(call.body),
      input_type: call.body.input_type ?? toInputType(call.body),
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

/** Names of a vector's purpose in Gemini's API, which is the canonical one. */
const INPUT_TYPE_OF: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: 'search_query',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
}

const toInputType = ({ task_type }: EmbeddingsBody): string =>
  INPUT_TYPE_OF[task_type ?? ''] ?? 'search_document'

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

/**
 * Documents are texts and are not returned. Cohere counts searches instead of tokens. Source:
 * docs.cohere.com/reference/rerank
 */
const rerank: RerankAdapter = {
  request: call => ({
    url: `${call.channel.baseUrl}/v2/rerank`,
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      query: call.body.query,
      documents: call.body.documents.map(documentText),
      top_n: call.body.top_n ?? undefined,
      max_tokens_per_doc: call.body.max_tokens_per_doc ?? undefined,
    }),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.results))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    return { kind: 'reply', reply: { model: asString(json.model), results: readRerankResults(json.results) } }
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
  native: { cohere: native },
  embeddings,
  rerank,
  listModels,
})
