import type { AnswerHeaders } from './answer-headers.ts'

const RETRY_AFTER_SECONDS_MAX = 86_400

/**
 * Seconds that an answer asks to wait, from `retry-after-ms` or `retry-after`. A date counts from the answer's own
 * `date`, so that no clock is needed. Undefined when it does not say, or says nonsense.
 */
export function readRetryAfter(headers: AnswerHeaders): number | undefined {
  const ms = headers.get('retry-after-ms')
  if (ms !== null) return inRange(Number(ms) / 1000)
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return inRange(Number(text))
  return inRange((Date.parse(text) - Date.parse(headers.get('date') ?? '')) / 1000)
}

const inRange = (seconds: number): number | undefined =>
  seconds >= 0 ? Math.min(Math.ceil(seconds), RETRY_AFTER_SECONDS_MAX) : undefined
