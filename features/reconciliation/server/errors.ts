import { apiErrors } from '#server/core/api-error.ts'

export const reconciliationError = apiErrors('reconciliation', {
  unknown: { zh: '对账记录不存在', en: 'there is no such reconciliation' },
  unknown_channel: { zh: '渠道 {id} 不存在', en: 'there is no channel {id}' },
  invalid_date: { zh: '日期 {date} 不存在', en: 'there is no day {date}' },
  period_reversed: { zh: '结束日期早于开始日期', en: 'the last day is before the first' },
  period_too_long: { zh: '期间最长 {limit} 天', en: 'a period has at most {limit} days' },
  too_large: { zh: '文件合计超过 {limit} 个字符', en: 'the files have more than {limit} characters' },
  unreadable: { zh: '无法读取 {file}：{reason}', en: '{file} cannot be read: {reason}' },
  unreadable_row: {
    zh: '无法读取 {file} 第 {row} 行：{reason}',
    en: '{file} cannot be read, row {row}: {reason}',
  },
  same_file: { zh: '{file} 与另一个文件内容相同', en: '{file} has the same content as another file' },
  no_days: { zh: '文件中没有任何一天的数据', en: 'the files have no rows of any day' },
  no_rows: {
    zh: '文件中没有 {from} 至 {until} 的数据',
    en: 'the files have no rows from {from} to {until}',
  },
  too_much: { zh: '金额合计超过 900 万美元', en: 'the amounts are beyond nine million dollars' },
  unknown_reading: { zh: '余额读数不存在', en: 'there is no such reading of a balance' },
  other_channel: {
    zh: '读数属于未选择的渠道，或属于两个渠道',
    en: 'the readings are of a channel that is not chosen, or of two channels',
  },
  same_reading: { zh: '请选择两次不同时间的读数', en: 'choose readings of two moments' },
  other_currency: {
    zh: '余额的货币是 {currency}，只能对比美元余额',
    en: 'the balance is in {currency}, and only dollars can be compared',
  },
  too_many_models: { zh: '超过 {limit} 个模型', en: 'there are more than {limit} models' },
  too_many_costs: {
    zh: '期间内的数据过多，请缩短期间或减少渠道',
    en: 'there are too many costs: choose a shorter period or fewer channels',
  },
})
