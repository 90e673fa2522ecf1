import { describe, expect, test } from 'bun:test'
import { Channel } from '../contract/channels.ts'
import { selectedChannelIds, toTagRows } from './rows.ts'

const channel = (changed: Partial<Channel>): Channel => ({
  id: 1,
  type: 1,
  key: '',
  name: 'lab',
  status: 1,
  openai_organization: '',
  test_model: '',
  base_url: '',
  other: '',
  models: 'gpt-4o',
  group: 'default',
  groups: ['default'],
  model_mapping: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
  other_info: '',
  tag: '',
  priority: 0,
  weight: 0,
  auto_ban: 1,
  max_input_tokens: 0,
  response_time: 0,
  test_time: 0,
  created_time: 0,
  balance: 0,
  balance_updated_time: 0,
  used_quota: 0,
  stopped_models: [],
  ...changed,
})

describe('tag rows', () => {
  test('groups untagged channels in a row of their own at the end', () => {
    const lines = toTagRows([channel({ id: 1 }), channel({ id: 2, tag: 'a' }), channel({ id: 3, tag: 'b' })])
    expect(lines.map(line => line.tag)).toEqual(['a', 'b', ''])
    expect(lines.map(line => line.channelRows.length)).toEqual([1, 1, 1])
  })

  test('merges groups, sums amounts and counts enabled channels', () => {
    const [line] = toTagRows([
      channel({ id: 1, tag: 'a', groups: ['default', 'vip'], used_quota: 5, balance: 1 }),
      channel({ id: 2, tag: 'a', groups: ['vip', 'svip'], used_quota: 7, balance: 2, status: 3 }),
    ])
    expect(line).toMatchObject({
      groups: ['default', 'vip', 'svip'],
      usedQuota: 12,
      balance: 3,
      enabledCount: 1,
    })
  })

  test('shows a value that all channels share and leaves differing values undefined', () => {
    const [line] = toTagRows([
      channel({ id: 1, tag: 'a', priority: 3, weight: 1 }),
      channel({ id: 2, tag: 'a', priority: 3, weight: 2 }),
    ])
    expect(line?.priority).toBe(3)
    expect(line?.weight).toBeUndefined()
  })

  test('averages the response time over all tested channels', () => {
    const times = [100, 200, 600, 0]
    const [line] = toTagRows(times.map((response_time, id) => channel({ id, tag: 'a', response_time })))
    expect(line?.responseMs).toBe(300)
  })
})

test('ignores tag rows in a selection', () => {
  expect(selectedChannelIds(['7', 'tag:a', 'tag:7', '8'])).toEqual([7, 8])
})

test('uses a sample that matches the contract', () => {
  expect(Channel.safeParse(channel({})).success).toBe(true)
})
