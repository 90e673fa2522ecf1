import type { ChatChoice, ChatReply, FinishReason, JsonObject, ToolCall } from '../chat.ts'
import type { Replied } from '../exchange.ts'
import type { Failure } from '../failure.ts'
import { isObject, listOf, objectOf, textOf } from '../json.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { readResponsesUsage } from './usage.ts'

/** Items of the vendor's own tools have no place in the canonical form and stay behind. */
export function readReply(json: unknown): Replied<ChatReply> {
  if (!isObject(json) || !Array.isArray(json.output) || json.status === 'failed')
    return { kind: 'failure', failure: readHiddenFailure(json) }
  const reply = { id: textOf(json.id), model: textOf(json.model), choices: [toChoice(json)] }
  return { kind: 'reply', reply, usage: readResponsesUsage(json.usage) }
}

function toChoice(json: JsonObject): ChatChoice {
  const items = listOf(json.output).map(objectOf)
  const said = partsOf(items, 'message', 'content')
  const thought = [...partsOf(items, 'reasoning', 'summary'), ...partsOf(items, 'reasoning', 'content')]
  const calls = items.filter(({ type }) => type === 'function_call').map(toToolCall)
  return {
    text: joined(said, 'text'),
    refusal: joined(said, 'refusal') || undefined,
    reasoning: joined(thought, 'text') || undefined,
    reasoningSignature: signatureIn(items),
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json, calls.length > 0),
  }
}

const partsOf = (items: readonly JsonObject[], type: string, field: string): readonly JsonObject[] =>
  items.filter(item => item.type === type).flatMap(item => listOf(item[field]).map(objectOf))

const joined = (parts: readonly JsonObject[], field: string): string =>
  parts.map(part => textOf(part[field]) ?? '').join('')

const signatureIn = (items: readonly JsonObject[]): string | undefined =>
  textOf(items.findLast(({ type }) => type === 'reasoning')?.encrypted_content) || undefined

const toToolCall = (item: JsonObject): ToolCall => ({
  id: textOf(item.call_id) ?? '',
  type: 'function',
  function: { name: textOf(item.name) ?? '', arguments: textOf(item.arguments) ?? '' },
})

export function readFinish({ incomplete_details }: JsonObject, hasCalls: boolean): FinishReason {
  const { reason } = objectOf(incomplete_details)
  if (reason === 'max_output_tokens') return 'length'
  if (reason === 'content_filter') return 'content_filter'
  return hasCalls ? 'tool_calls' : 'stop'
}

/** An error event has its words at the top, a failed answer in `error`. */
export const readStreamFailure = (json: JsonObject): Failure =>
  readHiddenFailure({ error: json.type === 'error' ? (json.error ?? json) : objectOf(json.response).error })
