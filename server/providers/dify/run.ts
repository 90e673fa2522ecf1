import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asCount, asObject, asString } from '../../provider-kit/json.ts'

/** A workflow names its outputs as it likes: the only text is the answer, else all of them as JSON. */
export function outputTextOf({ outputs }: JsonObject): string {
  const named = asObject(outputs)
  const [first, ...more] = Object.values(named)
  if (first === undefined) return ''
  return asString(named.text) ?? (more.length === 0 ? asString(first) : undefined) ?? JSON.stringify(named)
}

/** A run tells only the sum; it counts as input. */
export const runUsageOf = ({ total_tokens }: JsonObject): JsonObject => ({
  prompt_tokens: asCount(total_tokens),
})
