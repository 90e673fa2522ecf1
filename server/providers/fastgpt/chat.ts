import type { ChatChunk } from '../../provider-kit/chat.ts'
import type { StreamReader } from '../../provider-kit/exchange.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import type { ChatExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'

/** Events that hold chunks; so do events without a name. The others tell about the application's steps. */
const ANSWER_EVENTS: ReadonlySet<string> = new Set(['', 'answer', 'fastAnswer'])

const plain = openaiCompatibleChat({
  refusesDeveloperRole: true,
  adjust: body => ({ detail: false, ...body }),
  readUsage: () => undefined,
  isRewritten: true,
  deadKey: { codes: ['514'], message: /^凭证错误$/ },
})

/** What FastGPT says of usage is made up, so that it is left to be estimated. Source: doc.fastgpt.io, "OpenAPI" */
export const chat: ChatExchange = {
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
    if (name === 'error') return [{ type: 'failure', failure: readHiddenFailure(parseJson(event.data)) }]
    return ANSWER_EVENTS.has(name) ? reader.read(event) : []
  },
  end: () => reader.end(),
})
