import { type ClientDialect, toOpenaiError } from '../../provider-kit/contract/client-dialect.ts'
import { parseChat } from './chat-body.ts'
import { openChatPassage } from './chat-passage.ts'
import { writeChatReply } from './chat-reply.ts'
import { openChatWriter } from './chat-stream.ts'
import { parseCompletions } from './completions-body.ts'
import { openCompletionsPassage, openCompletionsWriter, writeCompletions } from './completions-reply.ts'
import { parseEmbeddings } from './embeddings-body.ts'
import { writeEmbeddingsReply } from './embeddings-reply.ts'
import { parseImageEdits, parseImages } from './images-body.ts'
import { writeImagesReply } from './images-reply.ts'
import { writeModel, writeModelList } from './model-list.ts'
import { parseModeration, writeModerationReply } from './moderation.ts'
import { parseRerank, writeRerankReply } from './rerank.ts'
import { parseSpeech, writeSpeechReply } from './speech.ts'
import { parseTranscription } from './transcription-body.ts'
import { writeTranscriptionReply } from './transcription-reply.ts'

/** Clients that speak OpenAI's API, and rerank as Jina and Cohere know it beside it. */
export const dialect: ClientDialect = {
  name: 'openai',
  chat: {
    parse: parseChat,
    writeReply: writeChatReply,
    streamType: () => 'text/event-stream',
    createWriter: openChatWriter,
    createPassthrough: openChatPassage,
  },
  completions: {
    parse: parseCompletions,
    writeReply: writeCompletions,
    streamType: () => 'text/event-stream',
    createWriter: openCompletionsWriter,
    createPassthrough: openCompletionsPassage,
  },
  embeddings: { parse: parseEmbeddings, writeReply: writeEmbeddingsReply },
  images: { parse: parseImages, writeReply: writeImagesReply },
  imageEdits: { parse: parseImageEdits, writeReply: writeImagesReply },
  speech: { parse: parseSpeech, writeReply: writeSpeechReply },
  transcription: { parse: parseTranscription, writeReply: writeTranscriptionReply },
  rerank: { parse: parseRerank, writeReply: writeRerankReply },
  moderation: { parse: parseModeration, writeReply: writeModerationReply },
  models: { writeList: writeModelList, writeModel },
  forwardedHeaders: ['openai-beta'],
  writeError: toOpenaiError,
}
