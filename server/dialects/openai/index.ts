import {
  type ClientDialect,
  OPENAI_PROVIDER_HEADERS,
  openaiErrorHeaders,
  toOpenaiError,
} from '../../provider-kit/contract/client-dialect.ts'
import { toOpenaiReply } from '../../provider-kit/openai-compatible/chat-response.ts'
import { parseRerank } from '../../provider-kit/rerank.ts'
import { parseChat } from './chat-request.ts'
import { createChatPassthrough, createChatWriter, writeChatReply } from './chat-response.ts'
import {
  createCompletionsPassthrough,
  createCompletionsWriter,
  parseCompletions,
  parseFim,
  writeCompletions,
} from './completions.ts'
import { parseEmbeddings, writeEmbeddingsReply } from './embeddings.ts'
import {
  parseImageEdits,
  parseImages,
  parseImageVariations,
  parseSpeech,
  parseTranscription,
  writeImagesReply,
  writeSpeechReply,
  writeTranscriptionReply,
} from './media.ts'
import { writeModel, writeModelList } from './model-list.ts'
import { parseModeration, writeModerationReply } from './moderation.ts'
import { writeRerankReply } from './rerank.ts'

/** The dialect of OpenAI's API, with rerank as Jina and Cohere define it. */
export const dialect: ClientDialect = {
  name: 'openai',
  chat: {
    parse: parseChat,
    writeReply: writeChatReply,
    streamType: () => 'text/event-stream',
    createWriter: createChatWriter,
    createPassthrough: createChatPassthrough,
    toStandardReply: toOpenaiReply,
  },
  completions: {
    parse: parseCompletions,
    writeReply: writeCompletions,
    streamType: () => 'text/event-stream',
    createWriter: createCompletionsWriter,
    createPassthrough: createCompletionsPassthrough,
    toStandardReply: toOpenaiReply,
  },
  fim: {
    parse: parseFim,
    writeReply: writeChatReply,
    streamType: () => 'text/event-stream',
    createWriter: createChatWriter,
    createPassthrough: createChatPassthrough,
  },
  embeddings: { parse: parseEmbeddings, writeReply: writeEmbeddingsReply },
  images: { parse: parseImages, writeReply: writeImagesReply },
  imageEdits: { parse: parseImageEdits, writeReply: writeImagesReply },
  imageVariations: { parse: parseImageVariations, writeReply: writeImagesReply },
  speech: { parse: parseSpeech, writeReply: writeSpeechReply },
  transcription: { parse: parseTranscription, writeReply: writeTranscriptionReply },
  rerank: { parse: parseRerank, writeReply: writeRerankReply },
  moderation: { parse: parseModeration, writeReply: writeModerationReply },
  models: { writeList: writeModelList, writeModel },
  forwardedHeaders: ['openai-beta', 'x-client-request-id'],
  providerHeaders: OPENAI_PROVIDER_HEADERS,
  errorHeaders: openaiErrorHeaders,
  writeError: toOpenaiError,
}
