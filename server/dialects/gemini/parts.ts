import { parseToolArguments } from '../../provider-kit/chat-request.ts'
import type { FinishReason, JsonObject, ToolCall } from '../../provider-kit/contract/chat.ts'
import { asObject, asString } from '../../provider-kit/json.ts'

/** Google has no word of its own for an answer that ends in calls. */
export const FINISH_REASON_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
}

export const thoughtPart = (text: string, signature?: string): JsonObject => ({
  text,
  thought: true,
  ...(signature !== undefined && { thoughtSignature: signature }),
})

export function callPart(call: ToolCall): JsonObject {
  const signature = asString(asObject(asObject(call.extra_content).google).thought_signature)
  return {
    functionCall: {
      id: call.id,
      name: call.function.name,
      args: parseToolArguments(call.function.arguments),
    },
    ...(signature !== undefined && { thoughtSignature: signature }),
  }
}
