import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '账单',
  titleOf: '{user} 的账单',
  period: '{start} 至 {end}',
  previousMonth: '上个月',
  nextMonth: '下个月',
  kind: '类型',
  download: '导出 CSV',
  focus: '导出 FOCUS',
  focusOfAll: '导出 FOCUS（所有用户）',
  focusHelp: 'FinOps 开放成本与用量规范 1.2，按 UTC 日期。',
  print: '打印',
  file: '账单',

  opening: '期初余额',
  credited: '转入',
  charged: '消费',
  debited: '扣减',
  closing: '期末余额',
  requestCount: '{count} 次请求',

  time: '时间',
  amount: '金额',
  balance: '余额',
  detail: '说明',
  openLog: '查看 {day} 的日志',

  charge: '请求消费',
  top_up: '在线充值',
  code: '兑换码',
  gift: '赠送',
  invitation_transfer: '邀请收益转入',
  adjustment: '余额调整',
  plan_payment: '套餐付款',
  plan_refund: '套餐退款',
  import: '迁移转入',

  emptyTitle: '这段时间没有余额变动',
  emptyText: '充值、兑换、赠送和请求消费会显示在这里。',
  noneFoundTitle: '没有符合条件的变动',
  noneFoundText: '换一种类型，或清除筛选条件。',
  clear: '清除筛选',
}

const en: English<typeof zh> = {
  title: 'Statement',
  titleOf: 'Statement of {user}',
  period: '{start} to {end}',
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  kind: 'Type',
  download: 'Export CSV',
  focus: 'Export FOCUS',
  focusOfAll: 'Export FOCUS of all users',
  focusHelp: 'FinOps Open Cost and Usage Specification 1.2, by days of UTC.',
  print: 'Print',
  file: 'statement',

  opening: 'Opening balance',
  credited: 'Credits',
  charged: 'Charges',
  debited: 'Deductions',
  closing: 'Closing balance',
  requestCount: '{count} requests',
  requestCount_one: '{count} request',

  time: 'Time',
  amount: 'Amount',
  balance: 'Balance',
  detail: 'Details',
  openLog: 'Open the log of {day}',

  charge: 'Requests',
  top_up: 'Top-up',
  code: 'Redemption code',
  gift: 'Gift',
  invitation_transfer: 'Invitation rewards',
  adjustment: 'Adjustment',
  plan_payment: 'Plan payment',
  plan_refund: 'Plan refund',
  import: 'Migration',

  emptyTitle: 'No transactions in this period',
  emptyText: 'Top-ups, codes, gifts and charges for requests appear here.',
  noneFoundTitle: 'No matching transactions',
  noneFoundText: 'Choose another type, or clear the filters.',
  clear: 'Clear filters',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
