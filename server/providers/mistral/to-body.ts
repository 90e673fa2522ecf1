import { createHash } from 'node:crypto'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asArray, asObject, asString, isObject } from '../../provider-kit/json.ts'

const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'prefix',
])

/** Adjusts messages and tools after the fields have been selected. Source: docs.mistral.ai/api */
export function toMistralBody(body: JsonObject): JsonObject {
  const { tool_choice } = body
  return {
    ...body,
    messages: asArray(body.messages).map(asObject).filter(hasContent).map(toMistralMessage),
    ...(tool_choice === 'required' && { tool_choice: 'any' }),
  }
}

/** An assistant turn without text and calls is rejected. */
const hasContent = ({ role, content, tool_calls }: JsonObject): boolean =>
  role !== 'assistant' ||
  asArray(tool_calls).length > 0 ||
  (Array.isArray(content) ? content.length > 0 : !!content)

function toMistralMessage(message: JsonObject): JsonObject {
  const known = Object.entries(message).filter(([field]) => MESSAGE_FIELDS.has(field))
  const { tool_calls, tool_call_id, name, role } = message
  return {
    ...Object.fromEntries(known),
    ...(role === 'tool' && name ? { name } : {}),
    ...(Array.isArray(tool_calls) && { tool_calls: tool_calls.map(toMistralCall) }),
    ...(typeof tool_call_id === 'string' && { tool_call_id: toMistralCallId(tool_call_id) }),
  }
}

const toMistralCall = (call: unknown): unknown =>
  isObject(call)
    ? { type: call.type, function: call.function, id: toMistralCallId(asString(call.id) ?? '') }
    : call

const CALL_ID = /^[a-zA-Z0-9]{9}$/

/**
 * Mistral accepts ids of nine letters and digits only. Its own ids stay unchanged; others are hashed, so that a call
 * and its result still match. Source: docs.mistral.ai, error code 3280
 */
const toMistralCallId = (id: string): string =>
  CALL_ID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9)
