import type { ClientDialect } from '../../provider-kit/contract/client-dialect.ts'
import { asObject } from '../../provider-kit/json.ts'
import { unjudgedBody } from '../../provider-kit/unjudged-body.ts'
import { errorStatus, namedEvent, writeError } from './errors.ts'
import { errorHeaders, usageHeaders } from './limits.ts'
import { writeModel, writeModelList } from './model-list.ts'
import { parseMessages } from './parse-messages.ts'
import { writeMessage } from './reply.ts'
import { createMessageWriter, createPassthrough } from './stream-writer.ts'

/** The dialect of Anthropic's Messages API. */
export const dialect: ClientDialect = {
  name: 'anthropic',
  chat: {
    parse: parseMessages,
    parseUnjudged: (json, { model = json.model }) =>
      unjudgedBody({
        json,
        model,
        stream: json.stream,
        maxOutputTokens: json.max_tokens,
        limits: asObject(json.thinking),
      }),
    writeReply: writeMessage,
    streamType: () => 'text/event-stream',
    keepAlive: namedEvent({ type: 'ping' }),
    createWriter: createMessageWriter,
    createPassthrough,
    writeTokenCount: tokens => ({ input_tokens: tokens }),
  },
  models: { writeList: writeModelList, writeModel },
  forwardedHeaders: ['anthropic-version', 'anthropic-beta', 'x-claude-code-session-id', 'x-app'],
  // The limits of the operator's account are not those of a caller.
  providerHeaders: ['request-id'],
  errorStatus,
  errorHeaders,
  usageHeaders,
  writeError,
}
