import type { ChatReply, FinishReason, JsonObject, ToolCall } from '../chat.ts'
import type { Replied } from '../exchange.ts'
import { isObject, listOf, objectOf, textOf } from '../json.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { readAnthropicUsage } from './usage.ts'

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

export const readFinish = (reason: unknown): FinishReason => FINISH_OF[textOf(reason) ?? ''] ?? 'stop'

export const isMessage = (json: unknown): json is JsonObject => isObject(json) && Array.isArray(json.content)

/** Blocks of Claude's own tools and hidden thoughts have no place in the canonical form and stay behind. */
export function readReply(json: unknown): Replied<ChatReply> {
  if (!isMessage(json)) return { kind: 'failure', failure: readHiddenFailure(json) }
  const blocks = listOf(json.content).map(objectOf)
  const toolCalls = blocks.filter(({ type }) => type === 'tool_use').map(toToolCall)
  const choice = {
    text: joinField(blocks, 'text', 'text'),
    reasoning: joinField(blocks, 'thinking', 'thinking') || undefined,
    reasoningSignature: textOf(blocks.findLast(({ type }) => type === 'thinking')?.signature) || undefined,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    finish: readFinish(json.stop_reason),
  }
  const reply = { id: textOf(json.id), model: textOf(json.model), choices: [choice] }
  return { kind: 'reply', reply, usage: readAnthropicUsage(json.usage) }
}

const joinField = (blocks: readonly JsonObject[], type: string, field: string): string =>
  blocks
    .filter(block => block.type === type)
    .map(block => textOf(block[field]) ?? '')
    .join('')

const toToolCall = (block: JsonObject): ToolCall => ({
  id: textOf(block.id) ?? '',
  type: 'function',
  function: { name: textOf(block.name) ?? '', arguments: JSON.stringify(block.input ?? {}) },
})
