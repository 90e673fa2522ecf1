import type { Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatReply, FinishReason, JsonObject, ToolCall } from '../../provider-kit/chat.ts'
import type { Replied } from '../../provider-kit/exchange.ts'
import { countOf, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import type { ChatExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { toActionRequest } from './action-request.ts'
import { readTencentFailure, readWrappedError } from './failure.ts'
import { openTencentStream } from './stream.ts'
import { toTencentBody } from './to-body.ts'

export const chat: ChatExchange = {
  framing: 'sse',
  request: call => toActionRequest(call, 'ChatCompletions', toTencentBody(call)),
  reply: readReply,
  stream: () => openTencentStream({ readFinish, readUsage: readTencentUsage }),
  failure: readTencentFailure,
}

const FINISH_OF: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  sensitive: 'content_filter',
}

/** Undefined while the answer goes on. */
const readFinish = (value: unknown): FinishReason | undefined => {
  const reason = textOf(value)
  return reason ? (FINISH_OF[reason] ?? 'stop') : undefined
}

export const readTencentUsage = (json: unknown): Usage | undefined => {
  const { PromptTokens, CompletionTokens } = objectOf(json)
  return usageFromTotals({ prompt: countOf(PromptTokens), completion: countOf(CompletionTokens) })
}

function readReply(json: unknown): Replied<ChatReply> {
  const response = objectOf(objectOf(json).Response)
  if (!Array.isArray(response.Choices))
    return { kind: 'failure', failure: readWrappedError(json) ?? readHiddenFailure(json) }
  const choices = response.Choices.map(choice => toChoice(objectOf(choice)))
  return {
    kind: 'reply',
    reply: { id: textOf(response.Id), choices },
    usage: readTencentUsage(response.Usage),
  }
}

function toChoice(json: JsonObject): ChatChoice {
  const message = objectOf(json.Message)
  const calls = listOf(message.ToolCalls).map(call => toToolCall(objectOf(call)))
  return {
    text: textOf(message.Content) ?? '',
    reasoning: textOf(message.ReasoningContent) || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json.FinishReason) ?? 'stop',
  }
}

function toToolCall(call: JsonObject): ToolCall {
  const { Name, Arguments } = objectOf(call.Function)
  return {
    id: textOf(call.Id) ?? '',
    type: 'function',
    function: { name: textOf(Name) ?? '', arguments: textOf(Arguments) ?? '{}' },
  }
}
