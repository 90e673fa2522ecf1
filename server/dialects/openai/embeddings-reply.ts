import { promptTokens, type Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import type { EmbeddingsBody, EmbeddingsReply } from '../../provider-kit/contract/operations.ts'

type Vector = readonly number[] | string

/** Vectors in the encoding that the client asked for, whatever the vendor gave. */
export function writeEmbeddingsReply(
  reply: EmbeddingsReply,
  usage: Usage,
  request: ParsedBody<EmbeddingsBody>,
): JsonObject {
  const encode = request.body.encoding_format === 'base64' ? toBase64 : toNumbers
  const tokens = promptTokens(usage)
  return {
    object: 'list',
    data: reply.vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) })),
    model: reply.model ?? request.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

/** Little-endian float32, as OpenAI's own clients ask for. */
const toBase64 = (vector: Vector): string => {
  if (typeof vector === 'string') return vector
  const view = new DataView(new ArrayBuffer(vector.length * 4))
  for (const [index, value] of vector.entries()) view.setFloat32(index * 4, value, true)
  return Buffer.from(view.buffer).toString('base64')
}

const toNumbers = (vector: Vector): readonly number[] => {
  if (typeof vector !== 'string') return vector
  const bytes = Buffer.from(vector, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4))
}
