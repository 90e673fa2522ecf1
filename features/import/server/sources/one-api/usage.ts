import type { TokenUsage } from '#server/core/usage.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { integer, jsonObject, text } from '../../read-values.ts'

/**
 * The tokens of a log row in buckets that do not overlap. `prompt_tokens` holds cached tokens for all formats but Claude's,
 * whose rows say so, or have more of them than the prompt.
 */
export function readLogUsage(row: SourceRow): Partial<TokenUsage> | undefined {
  const other = jsonObject(text(row, 'other'))
  if (other.is_task === true) return undefined
  const count = (name: string): number => {
    const value = Number(other[name] ?? 0)
    return Number.isFinite(value) ? Math.max(0, value) : 0
  }
  const prompt = integer(row, 'prompt_tokens')
  const cachedInput = count('cache_tokens')
  const cacheWriteHour = count('cache_creation_tokens_1h')
  const cacheWrite = Math.max(0, count('cache_creation_tokens') - cacheWriteHour)
  const [audioInput, audioOutput] = [count('audio_input'), count('audio_output')]
  const isSeparate =
    other.claude === true || other.usage_semantic === 'anthropic' || cachedInput + cacheWrite > prompt
  const inside = audioInput + (isSeparate ? 0 : cachedInput + cacheWrite + cacheWriteHour)
  return {
    input: Math.max(0, prompt - inside),
    cachedInput,
    cacheWrite,
    cacheWriteHour,
    audioInput,
    audioOutput,
    output: Math.max(0, integer(row, 'completion_tokens') - audioOutput),
  }
}
