import type { English, Translate } from '../../ui/text/text.ts'

const zh = {
  searchId: '任务 ID',
  channel: '渠道',
  action: '类型',
  status: '任务状态',
  submittedAt: '提交时间',
  duration: '用时',
  seconds: '{count} 秒',
  progress: '进度',
  failure: '失败原因',
  openChannel: '查看渠道 {id}',
  notStarted: '未启动',
  running: '执行中',
  succeeded: '成功',
  failed: '失败',
  submitting: '正在提交',
  unknown: '未知',
  noneFoundTitle: '没有符合条件的任务',
  noneFoundText: '换一个时间范围，或清除筛选条件。',
  clear: '清除筛选',
}

const en: English<typeof zh> = {
  searchId: 'Task ID',
  channel: 'Channel',
  action: 'Type',
  status: 'Status',
  submittedAt: 'Submitted',
  duration: 'Duration',
  seconds: '{count} s',
  progress: 'Progress',
  failure: 'Failure reason',
  openChannel: 'Open channel {id}',
  notStarted: 'Not started',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  submitting: 'Submitting',
  unknown: 'Unknown',
  noneFoundTitle: 'No matching tasks',
  noneFoundText: 'Try another time range, or clear the filters.',
  clear: 'Clear filters',
}

/** Words of every list of tasks. A screen spreads them into its own catalogue. */
export const taskText = { zh, en }
export type TaskTranslate = Translate<keyof typeof zh | 'title' | 'emptyTitle' | 'emptyText'>
