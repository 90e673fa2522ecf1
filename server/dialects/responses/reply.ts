import type { Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatReply, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import {
  callItem,
  incompleteDetails,
  messageItem,
  reasoningItem,
  refusalPart,
  statusOf,
  textPart,
} from './items.ts'
import { responseObject, toResponsesUsage } from './response-object.ts'

export function writeResponse(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  const [choice] = reply.choices
  const finish = choice?.finish ?? 'stop'
  return responseObject(context, {
    status: statusOf(finish),
    incomplete_details: incompleteDetails(finish),
    output: choice ? toItems(choice, context.requestId) : [],
    usage: toResponsesUsage(usage),
  })
}

function toItems(choice: ChatChoice, id: string): readonly JsonObject[] {
  const { reasoning, reasoningSignature, text, refusal, toolCalls = [], finish } = choice
  const parts = [...(text ? [textPart(text)] : []), ...(refusal ? [refusalPart(refusal)] : [])]
  const isThought = reasoning !== undefined || reasoningSignature !== undefined
  return [
    ...(isThought ? [reasoningItem(`rs_${id}`, reasoning ?? '', reasoningSignature)] : []),
    ...(parts.length > 0 ? [messageItem(`msg_${id}`, statusOf(finish), parts)] : []),
    ...toolCalls.map((call, index) =>
      callItem(`fc_${id}_${index}`, 'completed', {
        callId: call.id,
        name: call.function.name,
        arguments: call.function.arguments,
        extraContent: call.extra_content,
      }),
    ),
  ]
}
