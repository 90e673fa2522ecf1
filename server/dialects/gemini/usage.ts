import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'

/** Usage by Google's names, in which thoughts stand beside the candidates' tokens. */
export const toUsageMetadata = (usage: Usage): JsonObject => ({
  promptTokenCount: promptTokens(usage),
  candidatesTokenCount: completionTokens(usage) - usage.reasoning,
  totalTokenCount: promptTokens(usage) + completionTokens(usage),
  ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
  ...(usage.cachedInput > 0 && { cachedContentTokenCount: usage.cachedInput }),
})
