import type { Usage } from '../../core/usage.ts'
import type {
  ChatChoice,
  ChatReply,
  FinishReason,
  JsonObject,
  ToolCall,
} from '../../provider-kit/contract/chat.ts'
import type { AdapterResult } from '../../provider-kit/contract/operation-adapter.ts'
import type { ChatAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString } from '../../provider-kit/json.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'
import { toActionRequest } from './action-request.ts'
import { readTencentFailure, readWrappedError } from './failure.ts'
import { openTencentStream } from './stream.ts'
import { toTencentBody } from './to-body.ts'

export const chat: ChatAdapter = {
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
  const reason = asString(value)
  return reason ? (FINISH_OF[reason] ?? 'stop') : undefined
}

export const readTencentUsage = (json: unknown): Usage | undefined => {
  const { PromptTokens, CompletionTokens } = asObject(json)
  return usageFromTotals({ prompt: asCount(PromptTokens), completion: asCount(CompletionTokens) })
}

function readReply(json: unknown): AdapterResult<ChatReply> {
  const response = asObject(asObject(json).Response)
  if (!Array.isArray(response.Choices))
    return { kind: 'failure', failure: readWrappedError(json) ?? readEmbeddedFailure(json) }
  const choices = response.Choices.map(choice => toChoice(asObject(choice)))
  return {
    kind: 'reply',
    reply: { id: asString(response.Id), choices },
    usage: readTencentUsage(response.Usage),
  }
}

function toChoice(json: JsonObject): ChatChoice {
  const message = asObject(json.Message)
  const calls = asArray(message.ToolCalls).map(call => toToolCall(asObject(call)))
  return {
    text: asString(message.Content) ?? '',
    reasoning: asString(message.ReasoningContent) || undefined,
    toolCalls: calls.length > 0 ? calls : undefined,
    finish: readFinish(json.FinishReason) ?? 'stop',
  }
}

function toToolCall(call: JsonObject): ToolCall {
  const { Name, Arguments } = asObject(call.Function)
  return {
    id: asString(call.Id) ?? '',
    type: 'function',
    function: { name: asString(Name) ?? '', arguments: asString(Arguments) ?? '{}' },
  }
}
