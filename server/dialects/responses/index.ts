import { type ClientDialect, toOpenaiError } from '../../provider-kit/contract/client-dialect.ts'
import { parseResponse } from './parse-response.ts'
import { writeResponse } from './reply.ts'
import { createPassthrough, createResponseWriter } from './stream-writer.ts'

/** Clients that speak OpenAI's Responses API. Nothing is stored here: an answer cannot be asked for again. */
export const dialect: ClientDialect = {
  name: 'responses',
  chat: {
    parse: parseResponse,
    writeReply: writeResponse,
    streamType: () => 'text/event-stream',
    createWriter: createResponseWriter,
    createPassthrough,
  },
  writeError: toOpenaiError,
}
