import { z } from 'zod'
import type { ParsedBody, UrlParams } from './contract/client-dialect.ts'
import type { RerankBody, RerankReply, RerankResult } from './contract/operations.ts'
import { expected } from './first-problem.ts'
import { checkBody, MODEL_NAME_CHARS_MAX, withModel } from './validation.ts'

const DOCUMENTS_MAX = 10_000

const RerankJson = z.looseObject({
  model: z.string().min(1).max(MODEL_NAME_CHARS_MAX),
  query: z.string().min(1),
  documents: z
    .array(
      z.union([z.string(), z.looseObject({})], {
        error: expected({ zh: '文本或对象', en: 'text or an object' }),
      }),
    )
    .min(1)
    .max(DOCUMENTS_MAX),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
})

/**
 * Parses a rerank body as Jina and Cohere define it and keeps unknown fields; OpenAI has no such API. Throws a
 * GatewayError `invalid_request` or `model_required`. Source: api.jina.ai/redoc
 */
export function parseRerank(json: unknown, urlParams: UrlParams = {}): ParsedBody<RerankBody> {
  const body = toRerankBody(withModel(json, urlParams.model))
  return { body, model: body.model, isStream: false, maxOutputTokens: 0, wantsUsage: false }
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toRerankBody(json: unknown): RerankBody {
  checkBody(RerankJson, json)
  return json as RerankBody
}

/** The best results first, at most `top_n`. */
export const bestResults = (
  { results }: RerankReply,
  { top_n }: Pick<RerankBody, 'top_n'>,
): readonly RerankResult[] => results.toSorted((a, b) => b.score - a.score).slice(0, top_n ?? results.length)
