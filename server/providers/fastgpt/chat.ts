import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import type { StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'

/** Events that hold chunks; so do events without a name. The others tell about the application's steps. */
const ANSWER_EVENTS: ReadonlySet<string> = new Set(['', 'answer', 'fastAnswer'])

const plain = openaiCompatibleChat({
  rejectsDeveloperRole: true,
  adjust: body => ({ detail: false, ...body }),
  readUsage: () => undefined,
  isRewritten: true,
  revokedKey: { codes: ['514'], message: /^凭证错误$/ },
})

/** What FastGPT says of usage is made up, so that it is left to be estimated. Source: doc.fastgpt.io, "OpenAPI" */
export const chat: ChatAdapter = {
  ...plain,
  stream(call) {
    const reader = plain.stream?.(call)
    if (!reader) throw new Error('the kit reads streams')
    return onlyAnswers(reader)
  },
}

const onlyAnswers = (reader: StreamReader<ChatChunk>): StreamReader<ChatChunk> => ({
  read(event) {
    const name = event.name ?? ''
    if (name === 'error') return [{ type: 'failure', failure: readEmbeddedFailure(parseJson(event.data)) }]
    return ANSWER_EVENTS.has(name) ? reader.read(event) : []
  },
  end: () => reader.end(),
})
