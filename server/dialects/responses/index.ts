import { type ClientDialect, toOpenaiError } from '../../provider-kit/contract/client-dialect.ts'
import { createPassthrough } from './passage.ts'
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
    createWriter: openResponseWriter,
    createPassthrough,
  },
  writeError: toOpenaiError,
}
