import type { JsonObject } from '../../provider-kit/chat.ts'
import { countOf, objectOf, textOf } from '../../provider-kit/json.ts'

/** A workflow names its outputs as it likes: the only text is the answer, else all of them as JSON. */
export function outputTextOf({ outputs }: JsonObject): string {
  const named = objectOf(outputs)
  const [first, ...more] = Object.values(named)
  if (first === undefined) return ''
  return textOf(named.text) ?? (more.length === 0 ? textOf(first) : undefined) ?? JSON.stringify(named)
}

/** A run tells only the sum; it counts as input. */
export const runUsageOf = ({ total_tokens }: JsonObject): JsonObject => ({
  prompt_tokens: countOf(total_tokens),
})
