import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, ChatReply, JsonObject } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  AdapterResult,
  StreamPiece,
  StreamReader,
} from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { invalidJsonFailure, readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/transport.ts'
import { readFinish, readMessage, readOllamaUsage } from './read-message.ts'
import { toOllamaBody } from './to-body.ts'

type Pieces = readonly StreamPiece<ChatChunk>[]

/** Ollama's own chat, which knows more than its OpenAI-like one: context size, thinking, models kept in memory. */
export const chat: ChatAdapter = {
  framing: 'ndjson',
  inlinesImages: true,
  request: call => ({
    url: `${call.channel.baseUrl}/api/chat`,
    headers: bearerHeaders(call),
    body: JSON.stringify(toOllamaBody(call)),
  }),
  reply: readReply,
  stream: openOllamaStream,
}

function readReply(
  json: unknown,
  { requestId }: Pick<AdapterCall<unknown>, 'requestId'>,
): AdapterResult<ChatReply> {
  if (!isObject(json) || !isObject(json.message))
    return { kind: 'failure', failure: readEmbeddedFailure(json) }
  const { text, reasoning, calls } = readMessage(json, requestId, 0)
  const choice = {
    text,
    reasoning: reasoning || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json.done_reason, calls.length > 0),
  }
  return {
    kind: 'reply',
    reply: { model: asString(json.model), choices: [choice] },
    usage: readOllamaUsage(json),
  }
}

function openOllamaStream({ requestId }: Pick<AdapterCall<unknown>, 'requestId'>): StreamReader<ChatChunk> {
  let calls = 0
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false

  const readLine = (json: JsonObject): Pieces => {
    const message = readMessage(json, requestId, calls)
    const pieces: StreamPiece<ChatChunk>[] = isStarted ? [] : [{ type: 'start', model: asString(json.model) }]
    isStarted = true
    if (message.reasoning) pieces.push({ type: 'reasoning-delta', text: message.reasoning })
    if (message.text) pieces.push({ type: 'text-delta', text: message.text })
    for (const { id, function: called } of message.calls)
      pieces.push({ type: 'tool-call-start', index: calls++, id, ...called })
    if (json.done !== true) return pieces
    isComplete = true
    usage = readOllamaUsage(json)
    return [...pieces, { type: 'finish', reason: readFinish(json.done_reason, calls > 0) }]
  }

  return {
    read({ data }) {
      if (data === '') return []
      const json = parseJson(data)
      if (!isObject(json)) return [{ type: 'failure', failure: invalidJsonFailure() }]
      return json.error ? [{ type: 'failure', failure: readEmbeddedFailure(json) }] : readLine(json)
    },
    end: () => ({ chunks: [], usage, isComplete }),
  }
}
