import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  range: '时间',
  '15m': '最近 15 分钟',
  '1h': '最近 1 小时',
  today: '今天',
  yesterday: '昨天',
  '24h': '最近 24 小时',
  '7d': '最近 7 天',
  '30d': '最近 30 天',
  month: '本月',
  lastMonth: '上月',
  from: '开始时间',
  to: '结束时间',
  pickLast: '再选择最后一天',
  applyRange: '应用',
  wrongRange: '请填写开始和结束时间，结束不能早于开始，开始不能晚于现在',
}

const en: English<typeof zh> = {
  range: 'Time',
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  today: 'Today',
  yesterday: 'Yesterday',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  month: 'This month',
  lastMonth: 'Last month',
  from: 'From',
  to: 'To',
  pickLast: 'Now choose the last day',
  applyRange: 'Apply',
  wrongRange: 'Enter both times. The end must not be before the start, which must not be in the future.',
}

export const rangeText = { zh, en }
export const useRangeText = () => useText(rangeText)
