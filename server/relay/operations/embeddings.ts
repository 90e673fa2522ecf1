import type { EmbeddingsBody, EmbeddingsReply } from '../../provider-kit/embeddings.ts'
import { estimateEmbeddingsTokens } from '../../provider-kit/estimate.ts'
import { type Operation, jsonDialect } from './operation.ts'

export const embeddings: Operation = {
  name: 'embeddings',
  findDialect: client => jsonDialect(client.embeddings),
  findAdapter: provider => provider.embeddings,
  inputTokens: (body: EmbeddingsBody) => estimateEmbeddingsTokens(body),
  outputTokens: () => 0,
  hasOutput: (reply: EmbeddingsReply) => reply.vectors.length > 0,
}
