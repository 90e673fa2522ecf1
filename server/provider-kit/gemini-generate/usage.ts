import type { Usage } from '../../core/usage.ts'
import { countOf, isObject, listOf, objectOf } from '../json.ts'
import { usageFromTotals } from '../usage-buckets.ts'

/** Reads `usageMetadata`. Thoughts stand beside the candidates' tokens, cached tokens inside the prompt's. */
export function readGeminiUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  const reasoning = countOf(json.thoughtsTokenCount)
  return usageFromTotals({
    prompt: countOf(json.promptTokenCount) + countOf(json.toolUsePromptTokenCount),
    cachedInput: countOf(json.cachedContentTokenCount),
    audioInput: audioTokens(json.promptTokensDetails),
    completion: countOf(json.candidatesTokenCount) + reasoning,
    reasoning,
    audioOutput: audioTokens(json.candidatesTokensDetails),
  })
}

const audioTokens = (details: unknown): number =>
  countOf(
    listOf(details)
      .map(objectOf)
      .find(({ modality }) => modality === 'AUDIO')?.tokenCount,
  )
