import { type English, useText } from '../ui/text/text.ts'

const zh = {
  circuitOpen: '熔断中',
  keysResting: '密钥冷却中',
  silent: '无响应',
  notHeardYet: '等待首次响应',
  concurrencyLimit: '并发已满',
  rateLimit: '已达限速',
  circularMapping: '模型映射成环',
}

const en: English<typeof zh> = {
  circuitOpen: 'circuit open',
  keysResting: 'keys resting',
  silent: 'silent',
  notHeardYet: 'not heard yet',
  concurrencyLimit: 'at its concurrency',
  rateLimit: 'at its rate',
  circularMapping: 'model mapping runs in a circle',
}

const text = { zh, en }

const WORDS: ReadonlyMap<string, keyof typeof zh> = new Map([
  ['circuit open', 'circuitOpen'],
  ['keys resting', 'keysResting'],
  ['silent', 'silent'],
  ['not heard yet', 'notHeardYet'],
  ['concurrency limit', 'concurrencyLimit'],
  ['rate limit', 'rateLimit'],
  ['circular mapping', 'circularMapping'],
])

/** Says what speaks against a channel, as routing names it; undefined when nothing does. A new name is shown as it is. */
export function useObstacleWord(): (obstacle: string | null | undefined) => string | undefined {
  const t = useText(text)
  return obstacle => {
    if (!obstacle) return undefined
    const word = WORDS.get(obstacle)
    return word === undefined ? obstacle : t(word)
  }
}
