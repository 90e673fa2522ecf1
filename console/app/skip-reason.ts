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
  noRetriesLeft: '未尝试：重试次数已用完',
  failureIsFinal: '未尝试：此类失败不换渠道',
  clientLeft: '未尝试：客户端已断开',
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
  noRetriesLeft: 'not tried: no retries left',
  failureIsFinal: 'not tried: such a failure is final',
  clientLeft: 'not tried: the client had left',
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
  ['no retries left', 'noRetriesLeft'],
  ['failure is final', 'failureIsFinal'],
  ['client left', 'clientLeft'],
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
