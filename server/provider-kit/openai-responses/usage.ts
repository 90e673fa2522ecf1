import type { Usage } from '../../core/usage.ts'
import { countOf, isObject, objectOf } from '../json.ts'
import { usageFromTotals } from '../usage-buckets.ts'

/** Reads `usage` by the names of the Responses API. */
export function readResponsesUsage(json: unknown): Usage | undefined {
  if (!isObject(json)) return undefined
  return usageFromTotals({
    prompt: countOf(json.input_tokens),
    cachedInput: countOf(objectOf(json.input_tokens_details).cached_tokens),
    completion: countOf(json.output_tokens),
    reasoning: countOf(objectOf(json.output_tokens_details).reasoning_tokens),
  })
}
