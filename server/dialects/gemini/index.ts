import type { ClientDialect } from '../../provider-kit/contract/client-dialect.ts'
import { embeddings } from './embeddings.ts'
import { writeError } from './error.ts'
import { wantsEvents } from './frames.ts'
import { parseGenerate } from './generate-body.ts'
import { openGenerateWriter } from './generate-writer.ts'
import { writeModel, writeModelList } from './model-list.ts'
import { createPassthrough } from './passage.ts'
import { writeGenerated } from './reply.ts'

/** Clients that speak Google's Gemini API. */
export const dialect: ClientDialect = {
  name: 'gemini',
  chat: {
    parse: parseGenerate,
    writeReply: writeGenerated,
    streamType: context => (wantsEvents(context) ? 'text/event-stream' : 'application/json; charset=utf-8'),
    createWriter: openGenerateWriter,
    createPassthrough,
    writeTokenCount: tokens => ({ totalTokens: tokens }),
  },
  embeddings,
  models: { writeList: writeModelList, writeModel },
  writeError,
}
