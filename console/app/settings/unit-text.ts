import { type English, useText } from '../../ui/text/text.ts'

/** Units of numbers, and labels of choices. */
const unitZh = {
  hour: '小时',
  day: '天',
  week: '周',
  minutes: '分钟',
  seconds: '秒',
  times: '次',
  requests: '个请求',
  points: '点',
  tokens: 'Token',
  days: '天',
  mebibytes: 'MiB',
  yuanPerDollar: '元 / 美元',
  dollars: '美元',
}

const unitEn: English<typeof unitZh> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  minutes: 'minutes',
  seconds: 'seconds',
  times: 'times',
  requests: 'requests',
  points: 'points',
  tokens: 'tokens',
  days: 'days',
  mebibytes: 'MiB',
  yuanPerDollar: 'per dollar',
  dollars: 'dollars',
}

export const unitText = { zh: unitZh, en: unitEn }
export const useUnitText = () => useText(unitText)
export type UnitTextKey = keyof typeof unitZh
