import { type English, useText } from '../ui/text/text.ts'

const zh = {
  circuitOpen: '熔断中',
  keysCoolingDown: '密钥冷却中',
  stalled: '无响应',
  waitingForFirstByte: '等待首次响应',
  concurrencyLimit: '并发已满',
  rateLimit: '已达限速',
  inputLimit: '超出最大输入',
  circularMapping: '模型映射成环',
}

const en: English<typeof zh> = {
  circuitOpen: 'circuit open',
  keysCoolingDown: 'keys cooling down',
  stalled: 'stalled',
  waitingForFirstByte: 'no first byte yet',
  concurrencyLimit: 'concurrency limit reached',
  rateLimit: 'rate limit reached',
  inputLimit: 'input too long',
  circularMapping: 'circular model mapping',
}

const text = { zh, en }

/** The reasons as the routing API sends them. */
const TEXT_KEYS: ReadonlyMap<string, keyof typeof zh> = new Map([
  ['circuit open', 'circuitOpen'],
  ['keys resting', 'keysCoolingDown'],
  ['silent', 'stalled'],
  ['not heard yet', 'waitingForFirstByte'],
  ['concurrency limit', 'concurrencyLimit'],
  ['rate limit', 'rateLimit'],
  ['input limit', 'inputLimit'],
  ['circular mapping', 'circularMapping'],
])

/** Translates the reason why routing skips a channel. A reason that this console does not know is shown as sent. */
export function useSkipReasonText(): (skipReason: string | null | undefined) => string | undefined {
  const t = useText(text)
  return skipReason => {
    if (!skipReason) return undefined
    const key = TEXT_KEYS.get(skipReason)
    return key === undefined ? skipReason : t(key)
  }
}
