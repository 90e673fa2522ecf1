import { cachedTokens, completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import { parseToolArguments } from '../../provider-kit/chat-request.ts'
import type {
  ChatChoice,
  ChatReply,
  FinishReason,
  ToolCall,
  UrlCitation,
  WebSearch,
} from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { carrySignature } from '../../provider-kit/rules/carried-signatures.ts'

/** An interaction with its steps. Source: ai.google.dev/api/interactions-api, `Interaction` */
export function writeInteraction(reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject {
  const [choice] = reply.choices
  return {
    ...startedFields(context),
    status: choice ? STATUS_OF[choice.finish] : 'completed',
    steps: choice ? toSteps(choice, context) : [],
    usage: toInteractionUsage(usage),
  }
}

const MS_PER_SECOND = 1_000

/** The fields that an interaction has from its start. */
export function startedFields({ requestId, model, nowSeconds, echoedFields }: ResponseContext): JsonObject {
  const created = new Date(nowSeconds * MS_PER_SECOND).toISOString()
  return {
    id: interactionId(requestId),
    object: 'interaction',
    model,
    created,
    updated: created,
    ...echoedFields,
  }
}

export const interactionId = (requestId: string): string => `int_${requestId}`

export const STATUS_OF: Readonly<Record<FinishReason, string>> = {
  stop: 'completed',
  length: 'incomplete',
  tool_calls: 'requires_action',
  content_filter: 'incomplete',
}

function toSteps(choice: ChatChoice, { requestId }: ResponseContext): readonly JsonObject[] {
  const { reasoning, reasoningSignature: signature, searches = [], citations = [], toolCalls = [] } = choice
  const text = choice.text || choice.refusal || ''
  const isThought = reasoning !== undefined || signature !== undefined
  const thought = {
    type: 'thought',
    ...(signature !== undefined && { signature: carrySignature(signature) }),
    summary: reasoning ? [{ type: 'text', text: reasoning }] : [],
  }
  return [
    ...(isThought ? [thought] : []),
    ...searches.flatMap((search, index) => searchSteps(search, `${interactionId(requestId)}_${index}`)),
    ...(text === '' ? [] : [{ type: 'model_output', content: [toText(text, citations)] }]),
    ...toolCalls.map(toCallStep),
  ]
}

const toText = (text: string, citations: readonly UrlCitation[]): JsonObject => ({
  type: 'text',
  text,
  ...(citations.length > 0 && { annotations: citations.map(toAnnotation) }),
})

export const toAnnotation = ({ url, title, start, end }: UrlCitation): JsonObject => ({
  type: 'url_citation',
  url,
  ...(title !== undefined && { title }),
  ...(start !== undefined && { start_index: start }),
  ...(end !== undefined && { end_index: end }),
})

/** A search and what it found, as steps. */
export const searchSteps = ({ queries }: WebSearch, id: string): readonly JsonObject[] => [
  { type: 'google_search_call', id, arguments: { queries } },
  { type: 'google_search_result', call_id: id, result: [] },
]

const toCallStep = ({ id, function: { name, arguments: text } }: ToolCall): JsonObject => ({
  type: 'function_call',
  id,
  name,
  arguments: parseToolArguments(text),
})

/** Thoughts are counted beside the output, cached tokens inside the input. */
export const toInteractionUsage = (usage: Usage): JsonObject => ({
  total_input_tokens: promptTokens(usage),
  total_cached_tokens: cachedTokens(usage),
  total_output_tokens: completionTokens(usage) - usage.reasoning,
  total_thought_tokens: usage.reasoning,
  total_tool_use_tokens: 0,
  total_tokens: promptTokens(usage) + completionTokens(usage),
})
