import type { ClientDialect } from '../../provider-kit/contract/client-dialect.ts'
import { writeError } from './error.ts'
import { openMessageWriter } from './message-writer.ts'
import { parseMessages } from './messages-body.ts'
import { writeModel, writeModelList } from './model-list.ts'
import { createPassthrough } from './passage.ts'
import { writeMessage } from './reply.ts'

/** Clients that speak Anthropic's Messages API. */
export const dialect: ClientDialect = {
  name: 'anthropic',
  chat: {
    parse: parseMessages,
    writeReply: writeMessage,
    streamType: () => 'text/event-stream',
    createWriter: openMessageWriter,
    createPassthrough,
    writeTokenCount: tokens => ({ input_tokens: tokens }),
  },
  models: { writeList: writeModelList, writeModel },
  forwardedHeaders: ['anthropic-version', 'anthropic-beta'],
  writeError,
}
