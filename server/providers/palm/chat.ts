import type { ChatReply } from '../../provider-kit/contract/chat.ts'
import type { AdapterResult, Failure } from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asObject, asString, isObject } from '../../provider-kit/json.ts'
import { readPalmFailure } from './failure.ts'
import { toPalmBody } from './to-body.ts'
import { toPalmRequest } from './transport.ts'

/** Answers come whole; no reason for their end is given, and no usage. */
export const chat: ChatAdapter = {
  request: call => toPalmRequest(call, 'generateMessage', toPalmBody(call.body)),
  reply: readReply,
  failure: readPalmFailure,
}

function readReply(json: unknown): AdapterResult<ChatReply> {
  const candidates = asArray(asObject(json).candidates).map(asObject)
  if (candidates.length === 0)
    return { kind: 'failure', failure: refusalIn(json) ?? readEmbeddedFailure(json) }
  const choices = candidates.map(({ content }) => ({
    text: asString(content) ?? '',
    finish: 'stop' as const,
  }))
  return { kind: 'reply', reply: { choices } }
}

/** Without candidates, `filters` say why there are none. */
function refusalIn(json: unknown): Failure | undefined {
  const [filter] = asArray(asObject(json).filters)
  if (!isObject(filter)) return undefined
  return {
    status: 400,
    code: 'content_filter',
    message: `the prompt was blocked: ${asString(filter.reason) ?? 'no reason given'}`,
    isRetryable: false,
  }
}
