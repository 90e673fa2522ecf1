import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ResponseContext } from '../../provider-kit/contract/client-dialect.ts'
import { asObject } from '../../provider-kit/json.ts'

/**
 * The object that whole answers are and several events carry. It repeats what was asked; clients read its fields without
 * asking whether they are there. `found` is what differs. Source: platform.openai.com/docs/api-reference/responses/object
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
