import { NO_USAGE, type Usage } from '../../kernel/usage.ts'
import { countOf, isObject, objectOf } from '../json.ts'

/** Claude counts what was read from and written to its cache beside the input, not in it. */
export function readAnthropicUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  const made = countOf(json.output_tokens)
  const reasoning = Math.min(countOf(objectOf(json.output_tokens_details).thinking_tokens), made)
  const usage: Usage = {
    ...NO_USAGE,
    input: countOf(json.input_tokens),
    cachedInput: countOf(json.cache_read_input_tokens),
    cacheWrite: countOf(json.cache_creation_input_tokens),
    output: made - reasoning,
    reasoning,
  }
  return usage.input + usage.cachedInput + usage.cacheWrite + made > 0 ? usage : undefined
}
