import { expect, test } from 'bun:test'
import {
  ACTIONS,
  actionKey,
  durationSeconds,
  durationTone,
  STATUSES,
  statusBadge,
  submissionBadge,
} from './drawing.ts'
import { text } from './text.ts'

test('gives every known action, status and submission code a text in both languages', () => {
  expect(ACTIONS.map(action => text.zh[action]).filter(Boolean).length).toBe(16)
  expect(STATUSES.map(status => text.en[statusBadge(status)[0]])).toEqual([
    'Not started',
    'Queued',
    'Running',
    'Waiting for input',
    'Succeeded',
    'Failed',
  ])
  expect([0, 1, 21, 22, 24].map(code => text.zh[submissionBadge(code)[0]])).toEqual([
    '未提交',
    '已提交',
    '等待中',
    '重复提交',
    '未知',
  ])
  expect(statusBadge('')[0]).toBe('submitting')
  expect(statusBadge('PAUSED')[0]).toBe('unknown')
  expect(actionKey('DANCE')).toBeUndefined()
})

test('measures the duration of a drawing and marks more than a minute as slow', () => {
  expect(durationSeconds({ submit_time: 1000, finish_time: 62_500 })).toBe(61.5)
  expect(durationSeconds({ submit_time: 1000, finish_time: 0 })).toBeUndefined()
  expect([60, 60.1].map(durationTone)).toEqual(['success', 'danger'])
})
