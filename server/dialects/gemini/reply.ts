import type { Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatReply, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { callPart, FINISH_REASON_OF, thoughtPart } from './parts.ts'
import { toUsageMetadata } from './usage.ts'

/** Source: ai.google.dev/api/generate-content#generatecontentresponse */
export const writeGenerated = (reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject => ({
  candidates: reply.choices.map((choice, index) => ({
    content: { role: 'model', parts: toParts(choice) },
    finishReason: FINISH_REASON_OF[choice.finish],
    index,
  })),
  usageMetadata: toUsageMetadata(usage),
  ...answerTail(reply.id, context),
})

/** What whole answers and every frame of a stream end with. */
export const answerTail = (vendorId: string | undefined, context: ResponseContext): JsonObject => ({
  modelVersion: context.model,
  responseId: vendorId || context.requestId,
})

function toParts(choice: ChatChoice): readonly JsonObject[] {
  const said = choice.text || choice.refusal
  const isThought = choice.reasoning !== undefined || choice.reasoningSignature !== undefined
  const parts = [
    ...(isThought ? [thoughtPart(choice.reasoning ?? '', choice.reasoningSignature)] : []),
    ...(said ? [{ text: said }] : []),
    ...(choice.toolCalls ?? []).map(callPart),
  ]
  return parts.length > 0 ? parts : [{ text: '' }]
}
