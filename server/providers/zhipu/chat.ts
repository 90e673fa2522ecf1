import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, ChatReply } from '../../provider-kit/chat.ts'
import type { Call, Replied, StreamEvent, StreamPiece, StreamReader } from '../../provider-kit/exchange.ts'
import { listOf, objectOf, parseJson, textOf } from '../../provider-kit/json.ts'
import { maskSecrets } from '../../provider-kit/mask-secrets.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/usage.ts'
import type { ChatExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { readZhipuError, readZhipuFailure } from './failure.ts'
import { toZhipuBody } from './to-body.ts'
import { zhipuToken } from './token.ts'

export const chat: ChatExchange = {
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

const methodOf = ({ isStream }: Call<unknown>): string => (isStream ? 'sse-invoke' : 'invoke')

function readReply(json: unknown): Replied<ChatReply> {
  const { data } = objectOf(json)
  const { task_id, choices, usage } = objectOf(data)
  if (!Array.isArray(choices))
    return { kind: 'failure', failure: readZhipuError(json) ?? readHiddenFailure(json) }
  const answers = listOf(choices).map(choice => ({
    text: unquoted(textOf(objectOf(choice).content) ?? ''),
    finish: 'stop' as const,
  }))
  return { kind: 'reply', reply: { id: textOf(task_id), choices: answers }, usage: readOpenaiUsage(usage) }
}

/** Whole answers come as text that holds a JSON string, quotes and escapes included. */
const unquoted = (content: string): string => textOf(parseJson(content)) ?? content

const META = /^meta:(.*)$/m

/** Usage stands in a field `meta` of the last event, which server-sent events do not know. */
function openZhipuStream(): StreamReader<ChatChunk> {
  let usage: Usage | undefined
  let isComplete = false
  const finish = (event: StreamEvent, reason: 'stop' | 'content_filter'): ChatChunk => {
    const meta = parseJson(META.exec(event.raw)?.[1] ?? '')
    usage = readOpenaiUsage(objectOf(meta).usage)
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
