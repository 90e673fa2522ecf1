import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '按以往请求试算',
  help: '用尚未保存的价格和分组倍率重新计算以往请求的费用，不会改动任何数据。“原收入”为当时实际收取的费用。',
  noDrafts: '没有未保存的价格或分组倍率，将按当前价格试算。',
  drafts: '试算的改动：{options}',
  period: '时间范围',
  days: '最近 {count} 天',
  limit: '标出涨幅超过此百分比的用户',
  limitBad: '请输入 0 或正数',
  start: '开始试算',
  cancel: '取消试算',
  running: '正在试算：{percent}%',
  cancelled: '试算已取消',
  failed: '试算失败，原因请查看服务器日志',

  requests: '请求数',
  before: '原收入',
  after: '试算收入',
  difference: '差额',
  kept: '{count} 个请求按原费用计入：{reason}',
  no_receipt: '没有账单明细',
  no_usage: '没有用量记录，例如绘图和音乐任务',
  no_price: '新价格中没有该模型',
  no_group: '新倍率中没有该分组',
  empty: '该时间范围内没有收费请求',

  users: '用户',
  usersAbove: '{users} 个用户中有 {above} 个涨幅超过 {percent}%',
  models: '模型',
  groups: '分组',
  above: '超过',
  shown: '仅显示差额最大的 {count} 项',
}

const en: English<typeof zh> = {
  title: 'Simulate on past usage',
  help: 'Charges past requests again at the prices and group ratios that are not saved yet. Nothing is stored. "Before" is what was really charged.',
  noDrafts: 'No prices or group ratios are unsaved: the current ones are tried.',
  drafts: 'Changes to try: {options}',
  period: 'Period',
  days: 'Last {count} days',
  limit: 'Mark users who would pay this much more',
  limitBad: 'Enter 0 or a positive number',
  start: 'Start',
  cancel: 'Cancel',
  running: 'Charging requests again: {percent}%',
  cancelled: 'Cancelled',
  failed: 'The computation failed. The server log says why.',

  requests: 'Requests',
  before: 'Before',
  after: 'After',
  difference: 'Difference',
  kept: '{count} requests keep their charge: {reason}',
  kept_one: '{count} request keeps its charge: {reason}',
  no_receipt: 'they have no receipt',
  no_usage: 'their usage is unknown, as for drawing and music tasks',
  no_price: 'the new prices lack their model',
  no_group: 'the new ratios lack their group',
  empty: 'No requests were charged in this period',

  users: 'User',
  usersAbove: '{above} of {users} users would pay more by over {percent}%',
  models: 'Model',
  groups: 'Group',
  above: 'Above',
  shown: 'Only the {count} largest differences are shown',
}

export const repriceText = { zh, en }
export const useRepriceText = () => useText(repriceText)
