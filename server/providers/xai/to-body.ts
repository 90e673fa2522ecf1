import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { asString } from '../../provider-kit/json.ts'

const EFFORT_SUFFIX = /-(low|medium|high)$/

/**
 * Models that reason refuse stops and penalties; the small one of the third generation can be told how hard to think,
 * also at the end of its name as in `grok-3-mini-beta-high`. Source: docs.x.ai/docs/guides/reasoning
 */
export function toXaiBody(body: JsonObject): JsonObject {
  const model = asString(body.model) ?? ''
  if (model.startsWith('grok-3-mini')) return toSmallModelBody(body, model)
  if (!/^grok-[4-9]/.test(model)) return body
  const { reasoning_effort, ...rest } = withoutStops(body)
  return rest
}

function toSmallModelBody(body: JsonObject, model: string): JsonObject {
  const { max_tokens, ...rest } = withoutStops(body)
  return {
    ...rest,
    model: model.replace(EFFORT_SUFFIX, ''),
    max_completion_tokens: body.max_completion_tokens ?? max_tokens ?? undefined,
    reasoning_effort: EFFORT_SUFFIX.exec(model)?.[1] ?? body.reasoning_effort,
  }
}

function withoutStops(body: JsonObject): JsonObject {
  const { stop, presence_penalty, frequency_penalty, ...rest } = body
  return rest
}
