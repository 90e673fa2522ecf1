import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import { countOf, isObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/usage.ts'

/** The reasoning of deep research stands beside the completion, not in it. Source: docs.perplexity.ai/guides/pricing */
export function readPerplexityUsage({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const reasoning_tokens = countOf(usage.reasoning_tokens)
  return readOpenaiUsage({
    ...usage,
    completion_tokens: countOf(usage.completion_tokens) + reasoning_tokens,
    completion_tokens_details: { reasoning_tokens },
  })
}
