import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  noCalls: '近 24 小时没有调用。',
  calls: '调用',
  callsOf: '{attempts} 次，其中 {failed} 次失败（{share}）',
  firstToken: '首个 Token（p95）',
  seconds: '{seconds} 秒',
  lastError: '最近一次错误',
  hourly: '每小时的调用与失败',
  hour: '{from}–{to}：调用 {attempts} 次，失败 {failed} 次',
  quietHour: '{from}–{to}：没有调用',
  start: '24 小时前',
  now: '现在',
  marks: '“!”失败 1% 以上，“×”失败 10% 以上',
}

const en: English<typeof zh> = {
  noCalls: 'It was not called in the last 24 hours.',
  calls: 'Calls',
  callsOf: '{attempts}, of which {failed} failed ({share})',
  firstToken: 'First token (p95)',
  seconds: '{seconds} s',
  lastError: 'Last error',
  hourly: 'Calls and failures by the hour',
  hour: '{from}–{to}: {attempts} calls, {failed} failed',
  quietHour: '{from}–{to}: no calls',
  start: '24 hours ago',
  now: 'Now',
  marks: '! 1% or more failed   × 10% or more failed',
}

export const text = { zh, en }
export const useHealthText = () => useText(text)
