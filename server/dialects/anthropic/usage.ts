import { cacheWriteTokens, completionTokens, type Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'

/** Usage by Claude's names, in which what the cache gave and took stands beside the input, not in it. */
export const toAnthropicUsage = (usage: Usage): JsonObject => ({
  input_tokens: usage.input + usage.audioInput,
  cache_creation_input_tokens: cacheWriteTokens(usage),
  cache_read_input_tokens: usage.cachedInput,
  ...(usage.cacheWriteHour > 0 && {
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite,
      ephemeral_1h_input_tokens: usage.cacheWriteHour,
    },
  }),
  output_tokens: completionTokens(usage),
})
