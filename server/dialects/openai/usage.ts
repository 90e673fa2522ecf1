import { cacheWriteTokens, completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'

/** Usage by OpenAI's names, in which the parts are contained in the totals. */
export function toOpenaiUsage(usage: Usage): JsonObject {
  const prompt = promptTokens(usage)
  const completion = completionTokens(usage)
  const written = cacheWriteTokens(usage)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInput,
      ...(written > 0 && { cache_creation_tokens: written }),
      audio_tokens: usage.audioInput,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput },
  }
}
