import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import type { AnswerContext } from '../../provider-kit/client-dialect.ts'
import { objectOf } from '../../provider-kit/json.ts'

/**
 * The object that whole answers are and several events carry. It repeats what was asked; clients read its fields without
 * asking whether they are there. `found` is what differs. Source: platform.openai.com/docs/api-reference/responses/object
 */
export function responseObject(context: AnswerContext, found: JsonObject): JsonObject {
  const { repeated, requestId, model, nowSeconds } = context
  return {
    id: toResponseId(requestId),
    object: 'response',
    created_at: nowSeconds,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: repeated.instructions ?? null,
    max_output_tokens: repeated.max_output_tokens ?? null,
    model,
    output: [],
    parallel_tool_calls: repeated.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...objectOf(repeated.reasoning) },
    store: false,
    temperature: repeated.temperature ?? null,
    text: { format: { type: 'text' }, ...objectOf(repeated.text) },
    tool_choice: repeated.tool_choice ?? 'auto',
    tools: repeated.tools ?? [],
    top_p: repeated.top_p ?? null,
    truncation: repeated.truncation ?? 'disabled',
    usage: null,
    user: repeated.user ?? null,
    metadata: repeated.metadata ?? {},
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
