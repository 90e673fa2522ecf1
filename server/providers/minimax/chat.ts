import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { readAnyFailure, readBaseFailure } from './failure.ts'

/**
 * Streams end with the whole answer once more and without an end mark, so that answers are rewritten.
 * Source: platform.minimaxi.com/document/ChatCompletion_v2
 */
export const chat: ChatAdapter = {
  ...openaiCompatibleChat({
    path: '/v1/text/chatcompletion_v2',
    rejectsDeveloperRole: true,
    drop: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'n'],
    clamp: { temperature: [0.01, 1], top_p: [0.01, 1] },
    readFailure: readBaseFailure,
    isRewritten: true,
  }),
  failure: readAnyFailure,
}
