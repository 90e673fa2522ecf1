import type { Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatReply, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { toOpenaiUsage } from './usage.ts'

/** Source: platform.openai.com/docs/api-reference/chat/object */
export function writeChatReply(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  return {
    id: toCompletionId(reply.id, context.requestId),
    object: 'chat.completion',
    created: context.nowSeconds,
    model: reply.model ?? context.model,
    choices: reply.choices.map((choice, index) => ({
      index,
      message: toMessage(choice),
      logprobs: null,
      finish_reason: choice.finish,
    })),
    usage: toOpenaiUsage(usage),
  }
}

function toMessage(choice: ChatChoice): JsonObject {
  const hasOther = choice.toolCalls !== undefined || choice.refusal !== undefined
  return {
    role: 'assistant',
    content: choice.text === '' && hasOther ? null : choice.text,
    ...(choice.reasoning !== undefined && { reasoning_content: choice.reasoning }),
    ...(choice.reasoningSignature !== undefined && { reasoning_signature: choice.reasoningSignature }),
    refusal: choice.refusal ?? null,
    ...(choice.toolCalls && { tool_calls: choice.toolCalls }),
  }
}

/** Clients expect the prefix, whatever the vendor's ids look like. */
export function toCompletionId(vendorId: string | undefined, requestId: string): string {
  const id = vendorId || requestId
  return id.startsWith('chatcmpl-') ? id : `chatcmpl-${id}`
}
