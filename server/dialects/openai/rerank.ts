import { z } from 'zod'
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { RerankBody, RerankReply, RerankResult } from '../../provider-kit/contract/operations.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { checkBody, MODEL_NAME_CHARS_MAX, withModel } from '../../provider-kit/validation.ts'

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

/** The best results first, at most `top_n`, with their documents where the client requests them. */
export function writeRerankReply(
  { model, results }: RerankReply,
  usage: Usage,
  request: ParsedBody<RerankBody>,
): JsonObject {
  const { top_n } = request.body
  const best = results.toSorted((a, b) => b.score - a.score).slice(0, top_n ?? results.length)
  const prompt = promptTokens(usage)
  return {
    model: model ?? request.model,
    results: best.map(result => toResult(result, request.body)),
    usage: { prompt_tokens: prompt, total_tokens: prompt + completionTokens(usage) },
  }
}

function toResult({ index, score, document }: RerankResult, body: RerankBody): JsonObject {
  const includesDocument = body.return_documents ?? document !== undefined
  const returned = includesDocument ? (document ?? body.documents[index]) : undefined
  return {
    index,
    relevance_score: score,
    ...(returned !== undefined && { document: typeof returned === 'string' ? { text: returned } : returned }),
  }
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toRerankBody(json: unknown): RerankBody {
  checkBody(RerankJson, json)
  return json as RerankBody
}
