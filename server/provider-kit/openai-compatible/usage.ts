import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../chat.ts'
import { countOf, isObject, objectOf } from '../json.ts'
import { usageFromTotals } from '../usage-buckets.ts'

/** DeepSeek, Moonshot and Mistral put what was cached beside the totals, by a name of their own each. */
const cachedBesideDetails = (usage: JsonObject): number =>
  countOf(usage.prompt_cache_hit_tokens) || countOf(usage.cached_tokens) || countOf(usage.num_cached_tokens)

/** Reads `usage` by OpenAI's names. Source: platform.openai.com/docs/api-reference/chat/object#chat-object-usage */
export function readOpenaiUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  const sent = objectOf(json.prompt_tokens_details)
  const made = objectOf(json.completion_tokens_details)
  const completion = countOf(json.completion_tokens)
  return usageFromTotals({
    prompt: countOf(json.prompt_tokens) || Math.max(countOf(json.total_tokens) - completion, 0),
    cachedInput: countOf(sent.cached_tokens) || cachedBesideDetails(json),
    cacheWrite: countOf(sent.cache_creation_tokens),
    audioInput: countOf(sent.audio_tokens),
    completion,
    reasoning: countOf(made.reasoning_tokens),
    audioOutput: countOf(made.audio_tokens),
  })
}
