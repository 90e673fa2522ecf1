import { z } from 'zod'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { EmbeddingsBody } from '../../provider-kit/contract/operations.ts'
import { checkBody, withModel } from '../../provider-kit/validation.ts'

const MODEL_CHARS_MAX = 256
const INPUTS_MAX = 2_048
const INPUT_TOKENS_MAX = 2 ** 20
const DIMENSIONS_MAX = 65_536

const TokenIds = z.array(z.int().min(0)).min(1).max(INPUT_TOKENS_MAX)

const EmbeddingsJson = z.looseObject({
  model: z.string().max(MODEL_CHARS_MAX),
  input: z.union(
    [
      z.string().min(1),
      z.array(z.string()).min(1).max(INPUTS_MAX),
      TokenIds,
      z.array(TokenIds).min(1).max(INPUTS_MAX),
    ],
    { error: 'text, a list of texts, or one or more lists of token ids' },
  ),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(DIMENSIONS_MAX).nullish(),
})

/** Reads an embeddings body. Unknown fields stay. */
export function parseEmbeddings(json: unknown, address: UrlParams = {}): ParsedBody<EmbeddingsBody> {
  const body = toEmbeddingsBody(withModel(json, address.model))
  return { body, model: body.model, isStream: false, wantsUsage: false }
}

/** The cast is safe because the schema has just accepted the same value; the schema only looks, so nothing is lost. */
function toEmbeddingsBody(json: unknown): EmbeddingsBody {
  checkBody(EmbeddingsJson, json)
  return json as EmbeddingsBody
}
