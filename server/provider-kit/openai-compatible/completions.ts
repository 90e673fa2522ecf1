import type { ChatChoice, ChatChunk, ChatReply, JsonObject } from '../chat.ts'
import type { Replied, StreamReader } from '../exchange.ts'
import { isObject, objectOf, textOf } from '../json.ts'
import type { NativeExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { readFinish } from './chat-choice.ts'
import { openChatStream } from './chat-stream.ts'
import { failureReader } from './dead-key-signs.ts'
import { type EndpointDifferences, jsonRequest } from './endpoint.ts'
import { readBrokenOff } from './read-broken-off.ts'
import { readOpenaiUsage } from './usage.ts'

interface OpenaiCompatibleCompletions extends EndpointDifferences<JsonObject> {
  /** The models that go on with a text; the others are asked through chat. Absent: all do. */
  readonly serves?: (model: string) => boolean
}

const PATH = '/v1/completions'

/** Texts that a model goes on with, for vendors that still know them. Source: platform.openai.com/docs/api-reference/completions */
export const openaiCompatibleCompletions = ({
  serves,
  ...vendor
}: OpenaiCompatibleCompletions = {}): NativeExchange => ({
  wire: 'openai',
  framing: 'sse',
  request: call => {
    const options = { ...objectOf(call.body.stream_options), include_usage: true }
    const body = call.isStream ? { ...call.body, stream_options: options } : call.body
    return jsonRequest({ ...call, body }, PATH, vendor)
  },
  reply: readReply,
  stream: openCompletionStream,
  ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
  ...(serves && { serves }),
})

function readReply(json: unknown): Replied<ChatReply> {
  const broken = isObject(json) ? readBrokenOff(json) : undefined
  if (broken || !isObject(json) || json.error || !Array.isArray(json.choices))
    return { kind: 'failure', failure: broken ?? readHiddenFailure(json) }
  const choices = json.choices.map(toChoice)
  const reply = { id: textOf(json.id), model: textOf(json.model), choices }
  return { kind: 'reply', reply, usage: readOpenaiUsage(json.usage) }
}

function toChoice(json: unknown): ChatChoice {
  const { text, finish_reason } = objectOf(json)
  return { text: textOf(text) ?? '', finish: readFinish(finish_reason) ?? 'stop' }
}

/** As chat's events, but that a choice holds its text itself. */
const openCompletionStream = (): StreamReader<ChatChunk> =>
  openChatStream({
    usageOf: json => readOpenaiUsage(json.usage),
    failureIn: json => (json.error ? readHiddenFailure(json) : readBrokenOff(json)),
    deltaOf: choice => ({ content: choice.text }),
  })
