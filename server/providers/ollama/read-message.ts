import type { Usage } from '../../core/usage.ts'
import type { FinishReason, JsonObject, ToolCall } from '../../provider-kit/contract/chat.ts'
import { asArray, asCount, asObject, asString } from '../../provider-kit/json.ts'
import { usageFromTotals } from '../../provider-kit/usage-buckets.ts'

/** What an answer, or one line of a streamed one, says. */
export interface OllamaMessage {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
}

/** Calls come whole and without ids; one is made from the request's and the number of calls before. */
export function readMessage(json: JsonObject, requestId: string, callsBefore: number): OllamaMessage {
  const message = asObject(json.message)
  const calls = asArray(message.tool_calls).map((call, index) => {
    const { name, arguments: args } = asObject(asObject(call).function)
    return {
      id: `call_${requestId}_${callsBefore + index}`,
      type: 'function' as const,
      function: { name: asString(name) ?? '', arguments: JSON.stringify(args ?? {}) },
    }
  })
  return { text: asString(message.content) ?? '', reasoning: asString(message.thinking) ?? '', calls }
}

/** Ollama says `stop` for an answer that ends in calls too. */
export function readFinish(reason: unknown, hasCalls: boolean): FinishReason {
  if (hasCalls) return 'tool_calls'
  return reason === 'length' ? 'length' : 'stop'
}

export const readOllamaUsage = (json: JsonObject): Usage | undefined =>
  usageFromTotals({ prompt: asCount(json.prompt_eval_count), completion: asCount(json.eval_count) })
