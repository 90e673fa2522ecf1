import type { JsonDialect, ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import {
  documentText,
  type EmbeddingsBody,
  type EmbeddingsReply,
  type RerankBody,
  type RerankReply,
} from '../../provider-kit/contract/operations.ts'
import { estimateEmbeddingsTokens, estimateTextTokens } from '../../provider-kit/estimate-tokens.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import type { ModelOperation, OperationDialect, ParsedRequest } from '../types.ts'

export const embeddings: ModelOperation = {
  name: 'embeddings',
  findDialect: client => jsonDialect(client.embeddings),
  findAdapter: provider => provider.embeddings,
  inputTokens: (body: EmbeddingsBody) => estimateEmbeddingsTokens(body),
  outputTokensMax: () => 0,
  outputTokens: () => 0,
  hasOutput: (reply: EmbeddingsReply) => reply.vectors.length > 0,
}

export const rerank: ModelOperation = {
  name: 'rerank',
  findDialect: client => jsonDialect(client.rerank),
  findAdapter: provider => provider.rerank,
  inputTokens({ query, documents }: RerankBody) {
    const texts = [query, ...documents.map(documentText)]
    return texts.reduce((sum, text) => sum + estimateTextTokens(text), 0)
  },
  outputTokens: () => 0,
  hasOutput: (reply: RerankReply) => reply.results.length > 0,
}

/** The part of a client dialect for an operation that is never streamed. */
export const jsonDialect = <Body extends JsonObject, Reply>(
  dialect: JsonDialect<Body, Reply> | undefined,
): OperationDialect | undefined =>
  dialect && {
    parse: dialect.parse,
    writeReply: (reply: Reply, usage, request: ParsedRequest & ParsedBody<Body>) =>
      dialect.writeReply(reply, usage, request),
  }
