import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '异步任务',
  searchId: '任务 ID',
  channel: '渠道',
  platform: '平台',
  action: '类型',
  status: '任务状态',

  submittedAt: '提交时间',
  finishedAt: '结束时间',
  progress: '进度',
  duration: '用时',
  seconds: '{count} 秒',
  taskId: '任务 ID（点击查看详情）',
  shortTaskId: '任务 ID',
  openTask: '查看任务 {id}',
  openChannel: '查看渠道 {id}',
  failure: '失败原因',
  stillRunning: '未完成',

  suno: 'Suno',
  MUSIC: '生成音乐',
  LYRICS: '生成歌词',
  notStarted: '未启动',
  inQueue: '队列中',
  queued: '排队中',
  running: '执行中',
  succeeded: '成功',
  failed: '失败',
  submitting: '正在提交',
  unknown: '未知',

  detail: '任务 {id}',
  input: '输入',
  songs: '歌曲',
  untitled: '未命名',
  lyrics: '歌词',
  raw: '原始数据',
  copyRaw: '复制原始数据',

  emptyTitle: '还没有异步任务',
  emptyText: '通过接口提交的音乐和歌词任务会显示在这里。',
  noneFoundTitle: '没有符合条件的任务',
  noneFoundText: '换一个时间范围，或清除筛选条件。',
  clear: '清除筛选',
}

const en: English<typeof zh> = {
  title: 'Tasks',
  searchId: 'Task ID',
  channel: 'Channel',
  platform: 'Platform',
  action: 'Type',
  status: 'Status',

  submittedAt: 'Submitted',
  finishedAt: 'Finished',
  progress: 'Progress',
  duration: 'Duration',
  seconds: '{count} s',
  taskId: 'Task ID (click for details)',
  shortTaskId: 'Task ID',
  openTask: 'Open task {id}',
  openChannel: 'Open channel {id}',
  failure: 'Failure reason',
  stillRunning: 'Not finished',

  suno: 'Suno',
  MUSIC: 'Music',
  LYRICS: 'Lyrics',
  notStarted: 'Not started',
  inQueue: 'In the queue',
  queued: 'Queued',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  submitting: 'Submitting',
  unknown: 'Unknown',

  detail: 'Task {id}',
  input: 'Input',
  songs: 'Songs',
  untitled: 'Untitled',
  lyrics: 'Lyrics',
  raw: 'Raw data',
  copyRaw: 'Copy raw data',

  emptyTitle: 'No tasks yet',
  emptyText: 'Music and lyrics tasks submitted through the API appear here.',
  noneFoundTitle: 'No matching tasks',
  noneFoundText: 'Try another time range, or clear the filters.',
  clear: 'Clear filters',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
export type ScreenTranslate = ReturnType<typeof useScreenText>
