import { expect, test } from 'bun:test'
import type { Channel } from '#contract/channels/channels.ts'
import { channelBadge, channelRemark, responseTone, statusBadge } from './channel.ts'

test('colours response times by the bands up to 1, 3 and 5 seconds and slower', () => {
  const tones = [0, 1, 1000, 1001, 3000, 3001, 5000, 5001].map(responseTone)
  expect(tones).toEqual(['neutral', 'success', 'success', 'lime', 'lime', 'warning', 'warning', 'danger'])
})

test('shows an unknown status as unknown', () => {
  expect([1, 2, 3, 7].map(status => statusBadge(status).textKey)).toEqual([
    'enabled',
    'disabled',
    'autoDisabled',
    'unknownStatus',
  ])
})

test('marks an enabled channel whose usage was doubted until it is enabled again', () => {
  const remark = JSON.stringify({ status_reason: 'gpt: 9 + 1 tokens', status_time: 5 })
  const doubted = { status: 1, other_info: remark } as Channel
  expect(channelBadge(doubted)).toMatchObject({ textKey: 'doubted', tone: 'warning' })
  expect(channelRemark(doubted)).toEqual({ isDisabled: false, reason: 'gpt: 9 + 1 tokens', atSeconds: 5 })
  expect(channelBadge({ ...doubted, other_info: '' }).textKey).toBe('enabled')
  expect(channelRemark({ ...doubted, status: 3 })).toMatchObject({ isDisabled: true })
})
