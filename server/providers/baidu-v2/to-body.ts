import type { JsonObject } from '../../provider-kit/chat.ts'

/** Penalties are one score from 1 to 2, and stops a list. Source: cloud.baidu.com/doc/qianfan-api */
export function toQianfanBody(body: JsonObject): JsonObject {
  const { frequency_penalty: penalty, presence_penalty, stop, ...rest } = body
  const isScore = typeof penalty === 'number' && penalty >= 1 && penalty <= 2
  return {
    ...rest,
    ...(isScore && { penalty_score: penalty }),
    ...(stop ? { stop: typeof stop === 'string' ? [stop] : stop } : {}),
  }
}
