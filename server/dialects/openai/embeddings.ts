import { z } from 'zod'
import { promptTokens, type Usage } from '../../core/usage.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { EmbeddingsBody, EmbeddingsReply } from '../../provider-kit/contract/operations.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { checkBody, MODEL_NAME_CHARS_MAX, withModel } from '../../provider-kit/validation.ts'
import { toBase64, toNumbers } from '../../provider-kit/vectors.ts'

const INPUTS_MAX = 2_048
const INPUT_TOKENS_MAX = 2 ** 20
const DIMENSIONS_MAX = 65_536

const TokenIds = z.array(z.int().min(0)).min(1).max(INPUT_TOKENS_MAX)

const EmbeddingsJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  input: z.union(
    [
      z.string().min(1),
      z.array(z.string()).min(1).max(INPUTS_MAX),
      TokenIds,
      z.array(TokenIds).min(1).max(INPUTS_MAX),
    ],
    {
      error: expected({
        zh: '文本、文本数组，或一个或多个 Token ID 数组',
        en: 'text, a list of texts, or one or more lists of token IDs',
      }),
    },
  ),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(DIMENSIONS_MAX).nullish(),
})

/**
 * Parses an embeddings body and keeps unknown fields. Throws a GatewayError `invalid_request` or `model_required`.
 * Source: platform.openai.com/docs/api-reference/embeddings/create
 */
export function parseEmbeddings(json: unknown, urlParams: UrlParams = {}): ParsedBody<EmbeddingsBody> {
  const body = toEmbeddingsBody(withModel(json, urlParams.model))
  return { body, model: body.model, isStream: false, wantsUsage: false }
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toEmbeddingsBody(json: unknown): EmbeddingsBody {
  checkBody(EmbeddingsJson, json)
  return json as EmbeddingsBody
}

/** Writes vectors in the requested encoding, from any encoding of the provider. */
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
