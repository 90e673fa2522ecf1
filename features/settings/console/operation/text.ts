import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  quotaWarning: '修改单位美元额度会改变所有金额的含义，已有余额的美元数也会随之变化。',
  notifyWarning: '允许回调会向上游暴露服务器的 IP 地址。',

  clearTitle: '清理历史日志',
  clearHelp: '删除所选时间之前的日志；账本和余额不受影响。',
  clearBefore: '删除此时间之前的日志',
  clearNeeded: '请选择时间',
  clearBad: '时间格式错误，应为 yyyy-MM-dd HH:mm:ss',
  clear: '清理历史日志',
  clearQuestion: '删除 {time} 之前的所有日志？',
  clearConsequence: '此操作不可撤销。用量统计和数据看板中这段时间的明细将不再可查。',
  clearTyped: '请输入日期 {date} 以确认',
  clearing: '正在清理：约 {deleted} / {total} 条',
  cleared: '日志已清理完毕，共删除 {count} 条',
  clearFailed: '日志清理失败：{reason}',
  clearStopped: '清理提前结束，已删除 {count} 条',

  chatName: '名称',
  chatLink: '链接',
  chatNameOf: '第 {row} 个链接的名称',
  chatLinkOf: '第 {row} 个链接',
  addChat: '添加链接',
  removeChat: '删除 {name}',
  moveUp: '上移 {name}',
  moveDown: '下移 {name}',
  insertKey: '插入 {key}',
  insertAddress: '插入 {address}',
  preview: '预览',
  chatsBroken: '当前内容不是合法的聊天配置，请先在 JSON 视图中修正。',
  noChats: '还没有聊天链接',
}

const en: English<typeof zh> = {
  quotaWarning:
    'Changing the quota per dollar changes the meaning of every amount, including existing balances in dollars.',
  notifyWarning: 'Callbacks reveal the IP address of this server to upstreams.',

  clearTitle: 'Delete old log entries',
  clearHelp: 'Deletes log entries before a chosen time. The ledger and balances are not affected.',
  clearBefore: 'Delete entries before',
  clearNeeded: 'Choose a time',
  clearBad: 'Use the format yyyy-MM-dd HH:mm:ss',
  clear: 'Delete old entries',
  clearQuestion: 'Delete all log entries before {time}?',
  clearConsequence: 'This cannot be undone. Usage details of that time will no longer be available.',
  clearTyped: 'Type the date {date} to confirm',
  clearing: 'Deleting: about {deleted} of {total} entries',
  cleared: '{count} log entries deleted',
  cleared_one: '{count} log entry deleted',
  clearFailed: 'Log cleanup failed: {reason}',
  clearStopped: 'The cleanup ended early. Log entries deleted: {count}.',

  chatName: 'Name',
  chatLink: 'Link',
  chatNameOf: 'Name of link {row}',
  chatLinkOf: 'Link {row}',
  addChat: 'Add link',
  removeChat: 'Remove {name}',
  moveUp: 'Move {name} up',
  moveDown: 'Move {name} down',
  insertKey: 'Insert {key}',
  insertAddress: 'Insert {address}',
  preview: 'Preview',
  chatsBroken: 'This is not a valid list of chats. Fix it in the JSON view first.',
  noChats: 'No chat links yet',
}

export const operationText = { zh, en }
export const useOperationText = () => useText(operationText)
