import type { ChatReply } from '../../provider-kit/chat.ts'
import type { Replied } from '../../provider-kit/exchange.ts'
import type { Failure } from '../../provider-kit/failure.ts'
import { isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import type { ChatExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { readPalmFailure } from './failure.ts'
import { toPalmBody } from './to-body.ts'
import { toPalmRequest } from './transport.ts'

/** Answers come whole; no reason for their end is given, and no usage. */
export const chat: ChatExchange = {
  request: call => toPalmRequest(call, 'generateMessage', toPalmBody(call.body)),
  reply: readReply,
  failure: readPalmFailure,
}

function readReply(json: unknown): Replied<ChatReply> {
  const candidates = listOf(objectOf(json).candidates).map(objectOf)
  if (candidates.length === 0) return { kind: 'failure', failure: refusalIn(json) ?? readHiddenFailure(json) }
  const choices = candidates.map(({ content }) => ({ text: textOf(content) ?? '', finish: 'stop' as const }))
  return { kind: 'reply', reply: { choices } }
}

/** Without candidates, `filters` say why there are none. */
function refusalIn(json: unknown): Failure | undefined {
  const [filter] = listOf(objectOf(json).filters)
  if (!isObject(filter)) return undefined
  return {
    status: 400,
    code: 'content_filter',
    message: `the prompt was blocked: ${textOf(filter.reason) ?? 'no reason given'}`,
    isRetryable: false,
  }
}
