import type { ClientDialect } from '../../provider-kit/client-dialect.ts'
import { parseChat } from './chat-body.ts'
import { openChatPassage } from './chat-passage.ts'
import { writeChatReply } from './chat-reply.ts'
import { openChatWriter } from './chat-stream.ts'
import { parseEmbeddings } from './embeddings-body.ts'
import { writeEmbeddingsReply } from './embeddings-reply.ts'
import { writeError } from './error.ts'
import { writeModel, writeModelList } from './model-list.ts'

/** Clients that speak OpenAI's chat completions and embeddings. */
export const dialect: ClientDialect = {
  name: 'openai',
  chat: {
    streamContentType: 'text/event-stream',
    parse: parseChat,
    writeReply: writeChatReply,
    openWriter: openChatWriter,
    openPassage: openChatPassage,
  },
  embeddings: { parse: parseEmbeddings, writeReply: writeEmbeddingsReply },
  writeError,
  writeModelList,
  writeModel,
}
