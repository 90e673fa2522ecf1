import type { Usage } from '../../core/usage.ts'
import type { ChatChunk, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, StreamPiece, StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import { invalidJsonFailure } from '../../provider-kit/failures.ts'
import { asArray, asObject, asString, isObject, parseJson } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { readSparkError } from './failure.ts'

type Pieces = readonly StreamPiece<ChatChunk>[]
const NOTHING: Pieces = []
const LAST = 2

/** Frames of the socket. Usage stands in the last one; a call comes whole and without an id. */
export function openFrameStream({
  requestId,
}: Pick<AdapterCall<unknown>, 'requestId'>): StreamReader<ChatChunk> {
  let usage: Usage | undefined
  let isStarted = false
  let isComplete = false
  let calls = 0

  const readText = ({ content, reasoning_content, function_call }: JsonObject): readonly ChatChunk[] => {
    const pieces: ChatChunk[] = []
    const reasoning = asString(reasoning_content)
    const text = asString(content)
    if (reasoning) pieces.push({ type: 'reasoning-delta', text: reasoning })
    if (text) pieces.push({ type: 'text-delta', text })
    if (isObject(function_call)) {
      const { name, arguments: args } = function_call
      const id = `call_${requestId}_${calls}`
      const call = { id, name: asString(name) ?? '', arguments: asString(args) ?? '{}' }
      pieces.push({ type: 'tool-call-start', index: calls, ...call })
      calls += 1
    }
    return pieces
  }

  const readFrame = (json: JsonObject): Pieces => {
    const header = asObject(json.header)
    const failure = readSparkError(header)
    if (failure) return [{ type: 'failure', failure }]
    const payload = asObject(json.payload)
    const choices = asObject(payload.choices)
    usage = readOpenaiUsage(asObject(payload.usage).text) ?? usage
    const start: Pieces = isStarted ? NOTHING : [{ type: 'start', id: asString(header.sid) }]
    isStarted = true
    const pieces = asArray(choices.text).map(asObject).flatMap(readText)
    isComplete ||= choices.status === LAST
    const finish: Pieces = isComplete
      ? [{ type: 'finish', reason: calls > 0 ? 'tool_calls' : 'stop' }]
      : NOTHING
    return [...start, ...pieces, ...finish]
  }

  return {
    read({ data }) {
      if (data === '') return NOTHING
      const json = parseJson(data)
      return isObject(json) ? readFrame(json) : [{ type: 'failure', failure: invalidJsonFailure() }]
    },
    end: () => ({ chunks: NOTHING, usage, isComplete }),
  }
}
