import type { Usage } from '../../core/usage.ts'
import type { ClientDialect, ClientError, ParsedBody } from '../../provider-kit/contract/client-dialect.ts'
import type { RerankBody, RerankReply } from '../../provider-kit/contract/operations.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { bestResults, parseRerank } from '../../provider-kit/rerank.ts'
import { parseChat } from './chat-request.ts'
import { createChatWriter, createPassthrough, writeChatReply } from './chat-response.ts'
import { embeddings } from './embeddings.ts'

/** The dialect of Cohere's API, second version. */
export const dialect: ClientDialect = {
  name: 'cohere',
  chat: {
    parse: parseChat,
    writeReply: writeChatReply,
    streamType: () => 'text/event-stream',
    createWriter: createChatWriter,
    createPassthrough,
  },
  embeddings,
  rerank: { parse: parseRerank, writeReply: writeRerankReply },
  forwardedHeaders: ['x-client-name'],
  writeError,
}

/** Source: docs.cohere.com/reference/rerank */
function writeRerankReply(reply: RerankReply, _: Usage, { body }: ParsedBody<RerankBody>): JsonObject {
  return {
    results: bestResults(reply, body).map(({ index, score }) => ({ index, relevance_score: score })),
    meta: { api_version: { version: '2', is_experimental: false }, billed_units: { search_units: 1 } },
  }
}

/** Source: docs.cohere.com/reference/errors */
function writeError({ message }: ClientError, requestId: string): JsonObject {
  return { id: requestId, message: `${message} (request id: ${requestId})` }
}
