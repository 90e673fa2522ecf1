import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  attention: '需要处理',
  notChecked: '无法检查渠道状态',
  noConcerns: '一切正常：渠道、价格和备份都没有问题',
  channelFailing: '渠道 {name} 故障：{error}',
  channelDegraded: '渠道 {name} 部分调用失败：{error}',
  channelDisabled: '渠道 {name} 已被自动禁用：{reason}',
  modelsStopped: '渠道 {name} 有 {count} 个模型因低于成本已停止调用',
  balanceLow: '渠道 {name} 的余额只剩 {amount}',
  usageSpike: '用户 {name} 一小时内消费 {amount}，平时每小时 {usual}，系统未做限制',
  modelsUnpriced: '{count} 个模型没有价格，无法调用：{model} 等',
  backupFailed: '最近一次备份失败',
  backupLate: '备份已逾期',
  diskFull: '按最近一周的速度，磁盘将在 {days} 天后写满',
  limitsAlone: '共享限流存储无响应，各进程可能各自计数',
}

const en: English<typeof zh> = {
  attention: 'Needs attention',
  notChecked: 'The state of the channels could not be checked',
  noConcerns: 'All clear: nothing is wrong with channels, prices and backups',
  channelFailing: 'Channel {name} is failing: {error}',
  channelDegraded: 'Channel {name} fails now and then: {error}',
  channelDisabled: 'Channel {name} was disabled automatically: {reason}',
  modelsStopped: 'Channel {name} has {count} models that were stopped for selling below cost',
  modelsStopped_one: 'Channel {name} has a model that was stopped for selling below cost',
  balanceLow: 'Channel {name} has only {amount} left',
  usageSpike: 'User {name} spent {amount} within an hour, usually {usual}; nothing was limited',
  modelsUnpriced: '{count} models cannot be called for want of a price, such as {model}',
  modelsUnpriced_one: 'Model {model} cannot be called for want of a price',
  backupFailed: 'The last backup failed',
  backupLate: 'A backup is overdue',
  diskFull: 'At the pace of the last week, the disk is full in {days} days',
  limitsAlone: 'The shared store of rate limits does not respond: each process may count for itself',
}

const text = { zh, en }
export const useAttentionText = () => useText(text)
