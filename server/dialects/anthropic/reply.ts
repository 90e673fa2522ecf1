import type { Usage } from '../../core/usage.ts'
import { parseToolArguments } from '../../provider-kit/chat-request.ts'
import type {
  ChatChoice,
  ChatReply,
  FinishReason,
  JsonObject,
  ToolCall,
} from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { toAnthropicUsage } from './usage.ts'

const STOP_REASON_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/** Source: docs.claude.com/en/api/messages */
export function writeMessage(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  const [choice] = reply.choices
  return {
    ...messageHead(reply.id, context),
    content: choice ? toBlocks(choice) : [],
    stop_reason: choice ? stopReasonOf(choice.finish, choice.toolCalls !== undefined) : 'end_turn',
    usage: toAnthropicUsage(usage),
  }
}

/** What whole and streamed answers begin with. */
export const messageHead = (vendorId: string | undefined, context: ResponseContext): JsonObject => ({
  id: toMessageId(vendorId, context.requestId),
  type: 'message',
  role: 'assistant',
  model: context.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
})

/** Some vendors end an answer in calls with another word. */
export const stopReasonOf = (finish: FinishReason, hasCalls: boolean): string =>
  STOP_REASON_OF[finish === 'stop' && hasCalls ? 'tool_calls' : finish]

const toBlocks = (choice: ChatChoice): readonly JsonObject[] => {
  const said = choice.text || choice.refusal
  const isThought = choice.reasoning !== undefined || choice.reasoningSignature !== undefined
  const thought = {
    type: 'thinking',
    thinking: choice.reasoning ?? '',
    signature: choice.reasoningSignature ?? '',
  }
  return [
    ...(isThought ? [thought] : []),
    ...(said ? [{ type: 'text', text: said }] : []),
    ...(choice.toolCalls ?? []).map(toToolUse),
  ]
}

const toToolUse = (call: ToolCall): JsonObject => ({
  type: 'tool_use',
  id: call.id,
  name: call.function.name,
  input: parseToolArguments(call.function.arguments),
  ...(call.extra_content && { extra_content: call.extra_content }),
})

/** Clients expect the prefix, whatever the vendor's ids look like. */
function toMessageId(vendorId: string | undefined, requestId: string): string {
  const id = vendorId || requestId
  return id.startsWith('msg_') ? id : `msg_${id}`
}
