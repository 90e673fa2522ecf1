import {
  getFunctionCalls,
  getToolFunction,
  readMaxOutputTokens,
  readStopSequences,
  rejectLegacyFunctions,
  toContentParts,
  toImageUrl,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'

const CHOICE_OF: Readonly<Record<string, string>> = { required: 'REQUIRED', none: 'NONE' }

/**
 * Builds a chat body. Cohere rejects unknown fields, so fields without a counterpart are dropped. Source:
 * docs.cohere.com/reference/chat
 */
export function toCohereBody({ body, model, isStream }: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  const tools = (body.tools ?? []).map(tool => ({
    type: 'function',
    function: toFunction(getToolFunction(tool)),
  }))
  const choice = body.tool_choice ?? 'auto'
  return {
    model,
    stream: isStream,
    messages: body.messages.map(toMessage),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? CHOICE_OF[typeof choice === 'string' ? choice : 'required'] : undefined,
    response_format: toFormat(body),
    thinking: toThinking(body),
    max_tokens: readMaxOutputTokens(body),
    stop_sequences: readStopSequences(body),
    temperature: within(body.temperature),
    p: body.top_p ?? undefined,
    k: body.top_k ?? undefined,
    seed: body.seed ?? undefined,
    frequency_penalty: within(body.frequency_penalty),
    presence_penalty: within(body.presence_penalty),
    safety_mode: body.safety_mode ?? undefined,
  }
}

/** Clamps to the range from 0 to 1. */
const within = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, 0), 1) : undefined

const toFunction = ({ name, description, parameters }: ReturnType<typeof getToolFunction>): JsonObject => ({
  name,
  description,
  parameters: parameters ?? { type: 'object', properties: {} },
})

function toMessage(message: ChatMessage): JsonObject {
  const { role, content } = message
  if (role === 'tool') return { role, tool_call_id: message.tool_call_id, content: toPlainText(content) }
  if (role === 'assistant') return toAssistant(message)
  if (role !== 'user') return { role: 'system', content: toPlainText(content) }
  const parts = toContentParts(content)
  const isPlain = parts.every(part => part.type === 'text')
  return { role, content: isPlain ? toPlainText(content) : parts.map(toPart) }
}

/** Reasoning before tool calls is Cohere's `tool_plan`. */
function toAssistant(message: ChatMessage): JsonObject {
  const calls = getFunctionCalls(message).map(({ id, function: called }) => ({
    id,
    type: 'function',
    function: { name: called.name, arguments: called.arguments },
  }))
  const text = toPlainText(message.content)
  if (calls.length === 0) return { role: 'assistant', content: text }
  return { role: 'assistant', tool_plan: message.reasoning_content || text || undefined, tool_calls: calls }
}

const toPart = (part: ReturnType<typeof toContentParts>[number]): JsonObject =>
  part.type === 'image_url'
    ? { type: 'image_url', image_url: { url: toImageUrl(part.image_url) } }
    : { type: 'text', text: part.type === 'text' ? part.text : '' }

function toFormat({ response_format: format }: ChatBody): JsonObject | undefined {
  if (format?.type === 'json_schema')
    return { type: 'json_object', schema: format.json_schema.schema ?? undefined }
  return format?.type === 'json_object' ? { type: 'json_object' } : undefined
}

function toThinking({ reasoning_effort: effort }: ChatBody): JsonObject | undefined {
  if (!effort) return undefined
  return { type: effort === 'none' ? 'disabled' : 'enabled' }
}
