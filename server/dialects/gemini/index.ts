import type { ClientDialect } from '../../provider-kit/contract/client-dialect.ts'
import { writeGoogleError } from '../../provider-kit/google-error.ts'
import { embeddings } from './embeddings.ts'
import { writeModel, writeModelList } from './model-list.ts'
import { parseGenerate, parseUnjudgedGenerate } from './parse-generate.ts'
import { writeGenerated } from './reply.ts'
import { createGenerateWriter, createPassthrough, isSse } from './stream-writer.ts'

/** The dialect of Google's Gemini API. */
export const dialect: ClientDialect = {
  name: 'gemini',
  chat: {
    parse: parseGenerate,
    parseUnjudged: parseUnjudgedGenerate,
    writeReply: writeGenerated,
    streamType: context => (isSse(context) ? 'text/event-stream' : 'application/json; charset=utf-8'),
    createWriter: createGenerateWriter,
    createPassthrough,
    writeTokenCount: tokens => ({ totalTokens: tokens }),
  },
  embeddings,
  forwardedHeaders: ['x-goog-user-project', 'x-goog-request-params', 'x-goog-api-client'],
  models: { writeList: writeModelList, writeModel },
  writeError: writeGoogleError,
}
