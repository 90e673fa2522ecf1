import type { ChatChoice, FinishReason, ToolCall } from '../chat.ts'
import { isObject, listOf, objectOf, textOf } from '../json.ts'

export function readChoice(json: unknown): ChatChoice {
  const choice = objectOf(json)
  const message = objectOf(choice.message)
  const toolCalls = listOf(message.tool_calls).map(readToolCall)
  return {
    text: textOf(message.content) ?? '',
    reasoning: textOf(message.reasoning_content) ?? textOf(message.reasoning),
    reasoningSignature: textOf(message.reasoning_signature),
    refusal: textOf(message.refusal),
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    finish: readFinish(choice.finish_reason) ?? 'stop',
  }
}

function readToolCall(json: unknown): ToolCall {
  const call = objectOf(json)
  const { name, arguments: text } = objectOf(call.function)
  return {
    id: textOf(call.id) ?? '',
    type: 'function',
    function: { name: textOf(name) ?? '', arguments: textOf(text) ?? '' },
    ...(isObject(call.extra_content) && { extra_content: call.extra_content }),
  }
}

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

/** Undefined while the answer goes on. Reasons of a vendor's own count as an ordinary end. */
export function readFinish(value: unknown): FinishReason | undefined {
  const reason = textOf(value)
  return reason ? (FINISH_OF[reason] ?? 'stop') : undefined
}
