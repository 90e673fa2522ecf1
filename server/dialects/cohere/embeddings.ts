import { z } from 'zod'
import { promptTokens, type Usage } from '../../core/usage.ts'
import type { JsonDialect, ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { EmbeddingsBody, EmbeddingsReply } from '../../provider-kit/contract/operations.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import { checkBody, MODEL_NAME_CHARS_MAX, withModel } from '../../provider-kit/validation.ts'
import { toBase64, toNumbers } from '../../provider-kit/vectors.ts'

const TEXTS_MAX = 2_048
const DIMENSIONS_MAX = 65_536

/** Purposes of vectors, with their names in Gemini's API, which are the canonical ones. */
const TASK_TYPE_OF = {
  search_document: 'RETRIEVAL_DOCUMENT',
  search_query: 'RETRIEVAL_QUERY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
} as const

const TextsOnly = {
  error: expected({ zh: '文本数组（此处只能嵌入文本）', en: 'texts (only texts can be embedded here)' }),
}

const EmbedJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  texts: z.array(z.string(TextsOnly), TextsOnly).min(1).max(TEXTS_MAX),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']).nullish(),
  embedding_types: z.array(z.enum(['float', 'base64'])).nullish(),
  output_dimension: z.int().min(1).max(DIMENSIONS_MAX).nullish(),
})

/** Source: docs.cohere.com/reference/embed */
export const embeddings: JsonDialect<EmbeddingsBody, EmbeddingsReply> = { parse, writeReply }

function parse(json: unknown, { model: named }: UrlParams = {}): ParsedBody<EmbeddingsBody> {
  const { model, texts, input_type, embedding_types, output_dimension } = toEmbedJson(withModel(json, named))
  const body = {
    model,
    input: texts,
    encoding_format: 'float' as const,
    ...(output_dimension && { dimensions: output_dimension }),
    ...(input_type && { task_type: TASK_TYPE_OF[input_type] }),
  }
  const types = embedding_types && embedding_types.length > 0 ? embedding_types : ['float']
  return { body, model, isStream: false, wantsUsage: false, echoedFields: { types } }
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toEmbedJson(json: unknown): z.infer<typeof EmbedJson> {
  checkBody(EmbedJson, json)
  return json as z.infer<typeof EmbedJson>
}

function writeReply(
  { vectors }: EmbeddingsReply,
  usage: Usage,
  { body, echoedFields = {} }: ParsedBody<EmbeddingsBody>,
) {
  const types = [echoedFields.types].flat()
  return {
    embeddings: {
      ...(types.includes('float') && { float: vectors.map(toNumbers) }),
      ...(types.includes('base64') && { base64: vectors.map(toBase64) }),
    },
    texts: body.input,
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: promptTokens(usage) } },
    response_type: 'embeddings_by_type',
  }
}
