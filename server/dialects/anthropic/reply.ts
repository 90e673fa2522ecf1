import { cachedTokens, cacheWriteTokens, completionTokens, type Usage } from '../../core/usage.ts'
import { parseToolArguments } from '../../provider-kit/chat-request.ts'
import type { ChatChoice, ChatReply, FinishReason, ToolCall } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { toCallName } from './computer-toolset.ts'
import { searchResult, serverToolUse, toCitation, toSearchId, toSearchInput } from './searches.ts'

const STOP_REASON_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/** A Messages API response. Source: docs.claude.com/en/api/messages */
export function writeMessage(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  const [choice] = reply.choices
  return {
    ...messageHead(reply.id, context),
    content: choice ? toBlocks(choice, context) : [],
    stop_reason: choice ? toStopReason(choice.finish, choice.toolCalls !== undefined) : 'end_turn',
    usage: toAnthropicUsage(usage),
  }
}

/** The fields that complete and streamed responses share. */
export const messageHead = (providerId: string | undefined, context: ResponseContext): JsonObject => ({
  id: toMessageId(providerId, context.requestId),
  type: 'message',
  role: 'assistant',
  model: context.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
})

/** Some providers end a response with tool calls with another finish reason. */
export const toStopReason = (finish: FinishReason, hasCalls: boolean): string =>
  STOP_REASON_OF[finish === 'stop' && hasCalls ? 'tool_calls' : finish]

const toBlocks = (
  choice: ChatChoice,
  { echoedFields, requestId }: ResponseContext,
): readonly JsonObject[] => {
  const text = choice.text || choice.refusal
  const isThought = choice.reasoning !== undefined || choice.reasoningSignature !== undefined
  const thought = {
    type: 'thinking',
    thinking: choice.reasoning ?? '',
    signature: choice.reasoningSignature ?? '',
  }
  return [
    ...(isThought && !echoedFields.hidesThinking ? [thought] : []),
    ...(choice.searches ?? []).flatMap((search, index) => {
      const id = toSearchId(requestId, index)
      return [serverToolUse(id, toSearchInput(search)), searchResult(id, search)]
    }),
    ...(text
      ? [{ type: 'text', text, ...(choice.citations && { citations: choice.citations.map(toCitation) }) }]
      : []),
    ...(choice.toolCalls ?? []).map(call => toToolUse(call, echoedFields)),
  ]
}

const toToolUse = (call: ToolCall, { hasComputerToolset }: JsonObject): JsonObject => ({
  type: 'tool_use',
  id: call.id,
  ...toCallName(call.function.name, hasComputerToolset),
  input: parseToolArguments(call.function.arguments),
  ...(call.extra_content && { extra_content: call.extra_content }),
})

/** Clients expect the prefix for ids of any format. */
function toMessageId(providerId: string | undefined, requestId: string): string {
  const id = providerId || requestId
  return id.startsWith('msg_') ? id : `msg_${id}`
}

/** Usage with Claude's field names, which report cache reads and writes next to the input tokens. */
export const toAnthropicUsage = (usage: Usage): JsonObject => ({
  input_tokens: usage.input + usage.audioInput + usage.imageInput,
  cache_creation_input_tokens: cacheWriteTokens(usage),
  cache_read_input_tokens: cachedTokens(usage),
  ...(usage.cacheWriteHour > 0 && {
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite,
      ephemeral_1h_input_tokens: usage.cacheWriteHour,
    },
  }),
  output_tokens: completionTokens(usage),
  ...(usage.webSearches > 0 && {
    server_tool_use: { web_search_requests: usage.webSearches, web_fetch_requests: 0 },
  }),
})
