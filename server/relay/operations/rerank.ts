import { estimateTextTokens } from '../../provider-kit/estimate.ts'
import { documentText, type RerankBody, type RerankReply } from '../../provider-kit/rerank.ts'
import { type Operation, jsonDialect } from './operation.ts'

export const rerank: Operation = {
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
