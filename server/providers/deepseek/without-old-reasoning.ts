import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asArray, asObject } from '../../provider-kit/json.ts'

/**
 * Keeps what the model thought only within the tool calls of the running turn: there the newer models need it back,
 * anywhere else the older ones refuse it. Source: api-docs.deepseek.com/guides/thinking_mode
 */
export function withoutOldReasoning(body: JsonObject): JsonObject {
  const messages = asArray(body.messages).map(asObject)
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  return {
    ...body,
    messages: messages.map((message, index) =>
      index > lastUser && asArray(message.tool_calls).length > 0 ? message : withoutReasoning(message),
    ),
  }
}

function withoutReasoning(message: JsonObject): JsonObject {
  const { reasoning_content, reasoning_signature, ...rest } = message
  return rest
}
