import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asCount, isObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'

/** The reasoning of deep research stands beside the completion, not in it. Source: docs.perplexity.ai/guides/pricing */
export function readPerplexityUsage({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const reasoning_tokens = asCount(usage.reasoning_tokens)
  return readOpenaiUsage({
    ...usage,
    completion_tokens: asCount(usage.completion_tokens) + reasoning_tokens,
    completion_tokens_details: { reasoning_tokens },
  })
}
