import { NO_USAGE, type Usage } from '../../core/usage.ts'
import { countOf, isObject, objectOf } from '../json.ts'

/**
 * Claude counts what was read from and written to its cache beside the input, not in it. Of what was written it says how
 * much is kept for an hour (docs.anthropic.com, prompt caching).
 */
export function readAnthropicUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  const made = countOf(json.output_tokens)
  const reasoning = Math.min(countOf(objectOf(json.output_tokens_details).thinking_tokens), made)
  const written = countOf(json.cache_creation_input_tokens)
  const forAnHour = Math.min(countOf(objectOf(json.cache_creation).ephemeral_1h_input_tokens), written)
  const usage: Usage = {
    ...NO_USAGE,
    input: countOf(json.input_tokens),
    cachedInput: countOf(json.cache_read_input_tokens),
    cacheWrite: written - forAnHour,
    cacheWriteHour: forAnHour,
    output: made - reasoning,
    reasoning,
  }
  return usage.input + usage.cachedInput + written + made > 0 ? usage : undefined
}
