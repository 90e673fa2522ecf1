import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import type { ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import type { RerankBody, RerankReply, RerankResult } from '../../provider-kit/contract/operations.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { bestResults } from '../../provider-kit/rerank.ts'

/** The best results first, at most `top_n`, with their documents where the client requests them. */
export function writeRerankReply(
  reply: RerankReply,
  usage: Usage,
  request: ParsedBody<RerankBody>,
): JsonObject {
  const prompt = promptTokens(usage)
  return {
    model: reply.model ?? request.model,
    results: bestResults(reply, request.body).map(result => toResult(result, request.body)),
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
