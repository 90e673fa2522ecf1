import { taskText } from '#console/app/task-list/text.ts'
import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  ...taskText.zh,
  title: '异步任务',
  platform: '平台',

  finishedAt: '结束时间',
  taskId: '任务 ID（点击查看详情）',
  shortTaskId: '任务 ID',
  openTask: '查看任务 {id}',
  stillRunning: '未完成',

  suno: 'Suno',
  MUSIC: '生成音乐',
  LYRICS: '生成歌词',
  inQueue: '队列中',
  queued: '排队中',

  detail: '任务 {id}',
  input: '输入',
  songs: '歌曲',
  untitled: '未命名',
  lyrics: '歌词',
  raw: '原始数据',
  copyRaw: '复制原始数据',

  emptyTitle: '还没有异步任务',
  emptyText: '通过接口提交的音乐和歌词任务会显示在这里。',
}

const en: English<typeof zh> = {
  ...taskText.en,
  title: 'Tasks',
  platform: 'Platform',

  finishedAt: 'Finished',
  taskId: 'Task ID (click for details)',
  shortTaskId: 'Task ID',
  openTask: 'Open task {id}',
  stillRunning: 'Not finished',

  suno: 'Suno',
  MUSIC: 'Music',
  LYRICS: 'Lyrics',
  inQueue: 'In the queue',
  queued: 'Queued',

  detail: 'Task {id}',
  input: 'Input',
  songs: 'Songs',
  untitled: 'Untitled',
  lyrics: 'Lyrics',
  raw: 'Raw data',
  copyRaw: 'Copy raw data',

  emptyTitle: 'No tasks yet',
  emptyText: 'Music and lyrics tasks submitted through the API appear here.',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
export type ScreenTranslate = ReturnType<typeof useScreenText>
