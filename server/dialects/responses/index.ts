import type { ClientDialect } from '../../provider-kit/client-dialect.ts'
import { openaiError } from '../../provider-kit/openai-error.ts'
import { openPassage } from './passage.ts'
import { writeResponse } from './reply.ts'
import { parseResponse } from './response-body.ts'
import { openResponseWriter } from './response-writer.ts'

/** Clients that speak OpenAI's Responses API. Nothing is stored here: an answer cannot be asked for again. */
export const dialect: ClientDialect = {
  name: 'responses',
  chat: {
    parse: parseResponse,
    writeReply: writeResponse,
    streamType: () => 'text/event-stream',
    openWriter: openResponseWriter,
    openPassage,
  },
  writeError: openaiError,
}
