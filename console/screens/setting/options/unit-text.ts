import type { English } from '../../../ui/text/text.ts'

/** What stands behind numbers, and the words of a choice. */
const zh = {
  hour: '小时',
  day: '天',
  week: '周',
  minutes: '分钟',
  seconds: '秒',
  times: '次',
  requests: '个请求',
  tokens: 'tokens',
  yuanPerDollar: '元 / 美元',
  dollars: '美元',
}

const en: English<typeof zh> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  minutes: 'minutes',
  seconds: 'seconds',
  times: 'times',
  requests: 'requests',
  tokens: 'tokens',
  yuanPerDollar: 'per dollar',
  dollars: 'dollars',
}

export const unitText = { zh, en }
export type UnitWord = keyof typeof zh
