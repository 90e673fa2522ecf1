import { cachedTokens, completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import { parseToolArguments } from '../../provider-kit/chat-request.ts'
import type {
  ChatChoice,
  ChatReply,
  FinishReason,
  TokenLogprob,
  ToolCall,
} from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { carrySignature } from '../../provider-kit/rules/carried-signatures.ts'
import { toGroundingMetadata } from './grounding.ts'

/** A `generateContent` response. Source: ai.google.dev/api/generate-content#generatecontentresponse */
export const writeGenerated = (reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject => ({
  candidates: reply.choices.map((choice, index) => ({
    content: { role: 'model', parts: toParts(choice) },
    finishReason: FINISH_REASON_OF[choice.finish],
    index,
    ...toGroundingField(choice),
    ...(choice.logprobs && { logprobsResult: toLogprobsResult(choice.logprobs) }),
  })),
  usageMetadata: toUsageMetadata(usage),
  ...responseTail(reply.id, context),
})

/** The field of a candidate, where it has any pages. */
export const toGroundingField = (grounded: Parameters<typeof toGroundingMetadata>[0]): JsonObject => {
  const groundingMetadata = toGroundingMetadata(grounded)
  return groundingMetadata ? { groundingMetadata } : {}
}

/** Source: ai.google.dev/api/generate-content#logprobsresult */
export const toLogprobsResult = (tokens: readonly TokenLogprob[]): JsonObject => ({
  chosenCandidates: tokens.map(toLogprobsCandidate),
  topCandidates: tokens.map(({ top_logprobs }) => ({ candidates: top_logprobs.map(toLogprobsCandidate) })),
})

const toLogprobsCandidate = ({ token, logprob }: Pick<TokenLogprob, 'token' | 'logprob'>): JsonObject => ({
  token,
  logProbability: logprob,
})

/** The last fields of a complete response and of every frame. */
export const responseTail = (providerId: string | undefined, context: ResponseContext): JsonObject => ({
  modelVersion: context.model,
  responseId: providerId || context.requestId,
})

function toParts(choice: ChatChoice): readonly JsonObject[] {
  const text = choice.text || choice.refusal
  const isThought = choice.reasoning !== undefined || choice.reasoningSignature !== undefined
  const parts = [
    ...(isThought ? [thoughtPart(choice.reasoning ?? '', choice.reasoningSignature)] : []),
    ...(text ? [{ text: text }] : []),
    ...(choice.toolCalls ?? []).map(callPart),
  ]
  return parts.length > 0 ? parts : [{ text: '' }]
}

/** Google has no finish reason for tool calls. */
export const FINISH_REASON_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
}

export const thoughtPart = (text: string, signature?: string): JsonObject => ({
  text,
  thought: true,
  ...(signature !== undefined && { thoughtSignature: carrySignature(signature) }),
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

/** Usage with Google's field names, which report thinking tokens next to the candidates' tokens. */
export const toUsageMetadata = (usage: Usage): JsonObject => ({
  promptTokenCount: promptTokens(usage),
  candidatesTokenCount: completionTokens(usage) - usage.reasoning,
  totalTokenCount: promptTokens(usage) + completionTokens(usage),
  ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
  ...(cachedTokens(usage) > 0 && { cachedContentTokenCount: cachedTokens(usage) }),
})
