import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import { countOf, isObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/usage.ts'

/** xAI's completion leaves the reasoning out, but its total contains it. Source: docs.x.ai/docs/guides/reasoning */
export function readXaiUsage({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const made = countOf(usage.total_tokens) - countOf(usage.prompt_tokens)
  return readOpenaiUsage({ ...usage, completion_tokens: Math.max(made, countOf(usage.completion_tokens)) })
}
