import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, ChatReply } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  StreamEvent,
  StreamPiece,
  StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { maskSecrets, readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asObject, asString, parseJson } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { readZhipuError, readZhipuFailure } from './failure.ts'
import { toZhipuBody } from './to-body.ts'
import { zhipuToken } from './token.ts'

export const chat: ChatAdapter = {
  framing: 'sse',
  request: call => ({
    url: `${call.channel.baseUrl}/api/paas/v3/model-api/${encodeURIComponent(call.model)}/${methodOf(call)}`,
    headers: { authorization: zhipuToken(call), 'content-type': 'application/json' },
    body: JSON.stringify(toZhipuBody(call)),
  }),
  reply: readReply,
  stream: openZhipuStream,
  failure: readZhipuFailure,
}

const methodOf = ({ isStream }: AdapterCall<unknown>): string => (isStream ? 'sse-invoke' : 'invoke')

function readReply(json: unknown): AdapterResult<ChatReply> {
  const { data } = asObject(json)
  const { task_id, choices, usage } = asObject(data)
  if (!Array.isArray(choices))
    return { kind: 'failure', failure: readZhipuError(json) ?? readEmbeddedFailure(json) }
  const answers = asArray(choices).map(choice => ({
    text: unquoted(asString(asObject(choice).content) ?? ''),
    finish: 'stop' as const,
  }))
  return { kind: 'reply', reply: { id: asString(task_id), choices: answers }, usage: readOpenaiUsage(usage) }
}

/** Whole answers come as text that holds a JSON string, quotes and escapes included. */
const unquoted = (content: string): string => asString(parseJson(content)) ?? content

const META = /^meta:(.*)$/m

/** Usage stands in a field `meta` of the last event, which server-sent events do not know. */
function openZhipuStream(): StreamReader<ChatChunk> {
  let usage: Usage | undefined
  let isComplete = false
  const finish = (event: StreamEvent, reason: 'stop' | 'content_filter'): ChatChunk => {
    const meta = parseJson(META.exec(event.raw)?.[1] ?? '')
    usage = readOpenaiUsage(asObject(meta).usage)
    isComplete = true
    return { type: 'finish', reason }
  }
  const read = (event: StreamEvent): readonly StreamPiece<ChatChunk>[] => {
    switch (event.name) {
      case 'add':
        return textOnly(event.data)
      case 'finish':
        return [...textOnly(event.data), finish(event, 'stop')]
      case 'interrupted':
        return [finish(event, 'content_filter')]
      case 'error':
        return [{ type: 'failure', failure: readEventError(event.data) }]
      default:
        return []
    }
  }
  return { read, end: () => ({ chunks: [], usage, isComplete }) }
}

const textOnly = (text: string): readonly ChatChunk[] => (text === '' ? [] : [{ type: 'text-delta', text }])

/** A sentence, or JSON as in a whole answer. */
function readEventError(data: string) {
  const json = parseJson(data)
  const message = maskSecrets(data) || 'the stream ended with an error'
  return readZhipuError(json) ?? { status: 502, code: 'upstream_error', message, type: 'upstream_error' }
}
