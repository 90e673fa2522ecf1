import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asCount, isObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'

/** xAI's completion leaves the reasoning out, but its total contains it. Source: docs.x.ai/docs/guides/reasoning */
export function readXaiUsage({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const made = asCount(usage.total_tokens) - asCount(usage.prompt_tokens)
  return readOpenaiUsage({ ...usage, completion_tokens: Math.max(made, asCount(usage.completion_tokens)) })
}
