import { expect, test } from 'bun:test'
import type { Channel } from '../contract/channels.ts'
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

const enabled = { status: 1, other_info: '', stopped_models: [] } as Partial<Channel> as Channel

test('marks an enabled channel whose usage was doubted until it is enabled again', () => {
  const remark = JSON.stringify({ status_reason: 'gpt: 9 + 1 tokens', status_time: 5 })
  const doubted = { ...enabled, other_info: remark }
  expect(channelBadge(doubted)).toMatchObject({ textKey: 'doubted', tone: 'warning' })
  expect(channelRemark(doubted)).toEqual({ kind: 'doubted', reason: 'gpt: 9 + 1 tokens', atSeconds: 5 })
  expect(channelBadge(enabled).textKey).toBe('enabled')
  expect(channelRemark({ ...doubted, status: 3 })).toMatchObject({ kind: 'disabled' })
})

test('follows the health of an enabled channel, unless the gateway has doubts about it', () => {
  const doubted = { ...enabled, other_info: JSON.stringify({ status_reason: 'x' }) }
  expect(channelBadge(enabled, 'healthy').textKey).toBe('enabled')
  expect(channelBadge(enabled, 'degraded')).toMatchObject({ textKey: 'degraded', tone: 'warning' })
  expect(channelBadge(enabled, 'failing')).toMatchObject({ textKey: 'failing', tone: 'danger' })
  expect(channelBadge({ ...enabled, status: 2 }, 'failing').textKey).toBe('disabled')
  expect(channelBadge(doubted, 'failing').textKey).toBe('doubted')
})

test('tells a channel that sells below cost from one whose usage was doubted', () => {
  const other_info = JSON.stringify({ status_reason: 'a loss', status_time: 5, is_below_cost: true })
  expect(channelBadge({ ...enabled, other_info }).textKey).toBe('belowCost')
})

test('marks an enabled channel whose settings cannot be used', () => {
  const other_info = JSON.stringify({ status_reason: 'model_mapping must be object', is_unusable: true })
  expect(channelBadge({ ...enabled, other_info })).toMatchObject({ textKey: 'unusable', tone: 'danger' })
})

test('marks an enabled channel of which entries do not count', () => {
  const other_info = JSON.stringify({ status_reason: 'model_mapping.a must be string', is_incomplete: true })
  expect(channelBadge({ ...enabled, other_info })).toMatchObject({ textKey: 'incomplete', tone: 'warning' })
})

test('marks an enabled channel with stopped models, and not a disabled one', () => {
  const stopped_models = [{ model: 'gpt', reason: 'a loss', stopped_at: 5 }]
  expect(channelBadge({ ...enabled, stopped_models }).textKey).toBe('modelsStopped')
  expect(channelBadge({ ...enabled, stopped_models, status: 2 }).textKey).toBe('disabled')
})
