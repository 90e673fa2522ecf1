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
    parse: parseChat,
    writeReply: writeChatReply,
    streamType: () => 'text/event-stream',
    openWriter: openChatWriter,
    openPassage: openChatPassage,
  },
  embeddings: { parse: parseEmbeddings, writeReply: writeEmbeddingsReply },
  models: { writeList: writeModelList, writeModel },
  writeError,
}
