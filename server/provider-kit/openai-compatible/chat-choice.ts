import type { ChatChoice, FinishReason, JsonObject, ToolCall } from '../chat.ts'
import { isObject, listOf, objectOf, textOf } from '../json.ts'

export function readChoice(json: unknown): ChatChoice {
  const choice = objectOf(json)
  const message = objectOf(choice.message)
  const { function_call: onlyCall, audio } = message
  const toolCalls = isObject(onlyCall)
    ? [readToolCall({ function: onlyCall })]
    : listOf(message.tool_calls).map(readToolCall)
  return {
    text: readText(message) || (textOf(objectOf(audio).transcript) ?? ''),
    reasoning: readReasoning(message),
    reasoningSignature: textOf(message.reasoning_signature),
    refusal: textOf(message.refusal),
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    finish: readFinish(choice.finish_reason) ?? 'stop',
  }
}

/** Content is a text or, at Mistral, a list of parts. Pictures, which have no place of their own, follow it. */
export function readText({ content, images }: JsonObject): string {
  const text = textOf(content) ?? joinTexts(content)
  return images === undefined ? text : text + listOf(images).map(toMarkdown).join('')
}

/** As OpenRouter gives them. Source: openrouter.ai/docs/features/multimodal/image-generation */
function toMarkdown(json: unknown): string {
  const url = textOf(objectOf(objectOf(json).image_url).url)
  return url ? `![image](${url})` : ''
}

/** What the model thought: under one of two names, or, at Mistral, among the parts of the content. */
export const readReasoning = (message: JsonObject): string | undefined =>
  textOf(message.reasoning_content) ||
  textOf(message.reasoning) ||
  (Array.isArray(message.content) && message.content.map(thoughtOf).join('')) ||
  undefined

const thoughtOf = (part: unknown): string => joinTexts(objectOf(part).thinking)

const joinTexts = (parts: unknown): string => listOf(parts).map(partText).join('')

function partText(json: unknown): string {
  const part = objectOf(json)
  return part.type === 'text' ? (textOf(part.text) ?? '') : ''
}

function readToolCall(json: unknown): ToolCall {
  const call = objectOf(json)
  const { name, arguments: text, input } = objectOf(call.function ?? call.custom)
  return {
    id: textOf(call.id) ?? '',
    type: 'function',
    function: { name: textOf(name) ?? '', arguments: textOf(text) ?? textOf(input) ?? '' },
    ...(isObject(call.extra_content) && { extra_content: call.extra_content }),
  }
}

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  insufficient_system_resource: 'length',
}

/** Undefined while the answer goes on. Reasons of a vendor's own count as an ordinary end. */
export function readFinish(value: unknown): FinishReason | undefined {
  const reason = textOf(value)
  return reason ? (FINISH_OF[reason] ?? 'stop') : undefined
}
