import type { JsonObject } from '../chat.ts'
import type { Failure } from '../failure.ts'
import { listOf, objectOf, textOf } from '../json.ts'

/** Mistral and OpenRouter say `error`, Zhipu `network_error`. */
const BROKEN_OFF: ReadonlySet<unknown> = new Set(['error', 'network_error'])

/** The failure of an answer that a vendor gave up, which it says as the reason why it finished. */
export function readBrokenOff({ choices }: JsonObject): Failure | undefined {
  const broken = listOf(choices).find(choice => BROKEN_OFF.has(objectOf(choice).finish_reason))
  if (!broken) return undefined
  return {
    status: 502,
    code: textOf(objectOf(broken).finish_reason) ?? '',
    message: 'the vendor broke the answer off',
    type: 'upstream_error',
  }
}
