import type { ParsedBody } from '../../provider-kit/client-dialect.ts'
import type { EmbeddingsBody, EmbeddingsReply } from '../../provider-kit/embeddings.ts'
import { estimateEmbeddingsTokens } from '../../provider-kit/estimate.ts'
import type { Asked, Operation, OperationDialect } from './operation.ts'

export const embeddings: Operation = {
  name: 'embeddings',
  dialectOf({ embeddings: dialect }): OperationDialect | undefined {
    return (
      dialect && {
        parse: dialect.parse,
        writeReply: (reply: EmbeddingsReply, usage, asked: Asked & ParsedBody<EmbeddingsBody>) =>
          dialect.writeReply(reply, usage, asked),
      }
    )
  },
  exchangeOf: provider => provider.embeddings,
  inputTokens: (body: EmbeddingsBody) => estimateEmbeddingsTokens(body),
  outputTokens: () => 0,
  hasOutput: (reply: EmbeddingsReply) => reply.vectors.length > 0,
}
