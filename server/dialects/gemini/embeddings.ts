import { z } from 'zod'
import type { JsonDialect, ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { EmbeddingsBody, EmbeddingsReply } from '../../provider-kit/contract/operations.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import { isObject } from '../../provider-kit/json.ts'
import { checkBody, MODEL_NAME_CHARS_MAX, withModel } from '../../provider-kit/validation.ts'
import { toCamelCase } from './generate-schema.ts'

const REQUESTS_MAX = 2_048
const PARTS_MAX = 2_048
const DIMENSIONS_MAX = 65_536

const Part = z.looseObject({
  text: z.string({
    error: expected({ zh: '文本（此处只能嵌入文本）', en: 'text (only text can be embedded here)' }),
  }),
})
const One = z.looseObject({
  content: z.looseObject({ parts: z.array(Part).min(1).max(PARTS_MAX) }),
  outputDimensionality: z.int().min(1).max(DIMENSIONS_MAX).nullish(),
  taskType: z.string().nullish(),
})
const EmbedBody = One.extend({ model: z.string().max(MODEL_NAME_CHARS_MAX) })
const BatchEmbedBody = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  requests: z.array(One).min(1).max(REQUESTS_MAX),
})

/** `embedContent` returns one vector, `batchEmbedContents` a list. Source: ai.google.dev/api/embeddings */
export const embeddings: JsonDialect<EmbeddingsBody, EmbeddingsReply> = {
  parse: parseEmbeddings,
  writeReply(reply, _usage, { body }) {
    const embedded = reply.vectors.map(values => ({ values }))
    return Array.isArray(body.input) ? { embeddings: embedded } : { embedding: embedded[0] }
  },
}

function parseEmbeddings(json: unknown, urlParams: UrlParams = {}): ParsedBody<EmbeddingsBody> {
  const body = toEmbeddingsBody(withModel(toCamelCase(json), urlParams.model))
  return { body, model: body.model, isStream: false, wantsUsage: false }
}

function toEmbeddingsBody(json: unknown): EmbeddingsBody {
  if (!isObject(json) || json.requests === undefined) {
    const single = checked(EmbedBody, json)
    return { model: single.model, input: joinParts(single), ...readOptions(single) }
  }
  const { model, requests } = checked(BatchEmbedBody, json)
  return { model, input: requests.map(joinParts), ...readOptions(requests[0]) }
}

type One = z.infer<typeof One>

const joinParts = ({ content }: One): string => content.parts.map(({ text }) => text).join('\n')

const readOptions = (one: One | undefined) => ({
  encoding_format: 'float' as const,
  ...(one?.outputDimensionality && { dimensions: one.outputDimensionality }),
  ...(one?.taskType && { task_type: one.taskType }),
})

/** The cast is safe because the schema has just accepted the same value. */
function checked<Schema extends z.ZodType>(schema: Schema, json: unknown): z.infer<Schema> {
  checkBody(schema, json)
  return json as z.infer<Schema>
}
