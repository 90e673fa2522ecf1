import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import type { ChatChoice, ChatReply, FinishReason } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { asObject, type JsonObject } from '../../provider-kit/json.ts'

export function writeResponse(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  const [choice] = reply.choices
  const finish = choice?.finish ?? 'stop'
  return responseObject(context, {
    status: toItemStatus(finish),
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
    ...(parts.length > 0 ? [messageItem(`msg_${id}`, toItemStatus(finish), parts)] : []),
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

/** Output items. Their ids differ from the ids of the calls inside them. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export const reasoningItem = (id: string, text: string, signature?: string): JsonObject => ({
  id,
  type: 'reasoning',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
  ...(signature !== undefined && { encrypted_content: signature }),
})

export const messageItem = (id: string, status: ItemStatus, parts: readonly JsonObject[]): JsonObject => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content: parts,
})

export const textPart = (text: string): JsonObject => ({
  type: 'output_text',
  annotations: [],
  logprobs: [],
  text,
})

export const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

export interface FunctionCallFields {
  readonly callId: string
  readonly name: string
  readonly arguments: string
  readonly extraContent?: JsonObject | undefined
}

export const callItem = (id: string, status: ItemStatus, call: FunctionCallFields): JsonObject => ({
  id,
  type: 'function_call',
  status,
  arguments: call.arguments,
  call_id: call.callId,
  name: call.name,
  ...(call.extraContent && { extra_content: call.extraContent }),
})

export const toItemStatus = (finish: FinishReason): ItemStatus =>
  finish === 'length' || finish === 'content_filter' ? 'incomplete' : 'completed'

/** The reason why a response is incomplete. Null when it is complete. */
export const incompleteDetails = (finish: FinishReason): JsonObject | null => {
  if (finish === 'length') return { reason: 'max_output_tokens' }
  return finish === 'content_filter' ? { reason: 'content_filter' } : null
}

/**
 * The object of a complete response, which several events carry too. It repeats request fields, since clients read
 * them without checking for their presence. `found` overrides the defaults.
 * Source: platform.openai.com/docs/api-reference/responses/object
 */
export function responseObject(context: ResponseContext, found: JsonObject): JsonObject {
  const { echoedFields, requestId, model, nowSeconds } = context
  return {
    id: toResponseId(requestId),
    object: 'response',
    created_at: nowSeconds,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: echoedFields.instructions ?? null,
    max_output_tokens: echoedFields.max_output_tokens ?? null,
    model,
    output: [],
    parallel_tool_calls: echoedFields.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...asObject(echoedFields.reasoning) },
    store: false,
    temperature: echoedFields.temperature ?? null,
    text: { format: { type: 'text' }, ...asObject(echoedFields.text) },
    tool_choice: echoedFields.tool_choice ?? 'auto',
    tools: echoedFields.tools ?? [],
    top_p: echoedFields.top_p ?? null,
    truncation: echoedFields.truncation ?? 'disabled',
    usage: null,
    user: echoedFields.user ?? null,
    metadata: echoedFields.metadata ?? {},
    ...found,
  }
}

export const toResponsesUsage = (usage: Usage): JsonObject => ({
  input_tokens: promptTokens(usage),
  input_tokens_details: { cached_tokens: usage.cachedInput },
  output_tokens: completionTokens(usage),
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: promptTokens(usage) + completionTokens(usage),
})

const toResponseId = (id: string): string => `resp_${id}`
