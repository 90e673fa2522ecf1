import { expect, test } from 'bun:test'
import { durationSeconds, readLyrics, readSongs, STATUSES, statusBadge } from './task.ts'
import { text } from './text.ts'

test('gives every known task status a text, including the empty status', () => {
  expect(['', ...STATUSES].map(status => text.zh[statusBadge(status)[0]])).toEqual([
    '正在提交',
    '未启动',
    '队列中',
    '排队中',
    '执行中',
    '成功',
    '失败',
    '未知',
  ])
  expect(statusBadge('PAUSED')[0]).toBe('unknown')
})

test('measures the duration of a task from submission to finish', () => {
  expect(durationSeconds({ submit_time: 100, finish_time: 160 })).toBe(60)
  expect(durationSeconds({ submit_time: 100, finish_time: 0 })).toBeUndefined()
})

test('reads songs with https audio and lyrics with text from a task result', () => {
  const clip = { id: 'a', title: 'Rain', audio_url: 'https://a.example/1.mp3', image_url: 'javascript:0' }
  expect(readSongs([clip, { audio_url: 'http://plain.example' }, 'nothing'])).toEqual([
    { id: 'a', title: 'Rain', audio: 'https://a.example/1.mp3', picture: '' },
  ])
  expect(readSongs(null)).toEqual([])
  expect(readLyrics({ title: 'Rain', text: 'drop' })).toMatchObject({ title: 'Rain', text: 'drop' })
  expect(readLyrics([clip])).toBeUndefined()
})
