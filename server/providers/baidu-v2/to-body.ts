import type { JsonObject } from '../../provider-kit/contract/chat.ts'

/** Penalties are one score from 1 to 2, stops a list, and the limit has its newer name only. Source: cloud.baidu.com/doc/qianfan-api */
export function toQianfanBody(body: JsonObject): JsonObject {
  const { frequency_penalty: penalty, presence_penalty, stop, max_tokens, ...rest } = body
  const isScore = typeof penalty === 'number' && penalty >= 1 && penalty <= 2
  return {
    ...rest,
    max_completion_tokens: body.max_completion_tokens ?? max_tokens ?? undefined,
    ...(isScore && { penalty_score: penalty }),
    ...(stop ? { stop: typeof stop === 'string' ? [stop] : stop } : {}),
  }
}
