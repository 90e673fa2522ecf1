import { describe, expect, test } from 'bun:test'
import type { LogEntry } from '#contract/logs/logs.ts'
import { readDetail, formatSeconds, readTiming, unitsPerMillion } from './detail.ts'

const entry = (changed: Partial<LogEntry>): LogEntry => ({
  id: 1,
  request_id: 'r',
  user_id: 1,
  created_at: 0,
  type: 2,
  content: '',
  username: 'root',
  token_id: 1,
  token_name: 't',
  model_name: 'gpt-4o',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: true,
  channel: 1,
  channel_name: 'lab',
  group: 'default',
  other: '',
  ...changed,
})

describe('what stands behind a row', () => {
  test('rows without it, with a broken text or with another shape have none', () => {
    expect(['', '{', '"x"', '{"use_ms":"soon"}'].map(other => readDetail(entry({ other })))).toEqual([
      {},
      {},
      {},
      {},
    ])
  })

  test('what is there is read', () => {
    expect(readDetail(entry({ other: '{"use_ms":12,"more":1}' }))).toEqual({ use_ms: 12 })
  })
})

describe('timing', () => {
  test('speed counts from the first token on when the answer was streamed', () => {
    const row = entry({ completion_tokens: 30 })
    expect(readTiming(row, { use_ms: 4000, frt: 1000 })).toEqual({
      totalMs: 4000,
      firstTokenMs: 1000,
      tokensPerSecond: 10,
    })
  })

  test('-1000 means that nothing was streamed; whole seconds stand in where milliseconds are unknown', () => {
    const row = entry({ completion_tokens: 30, use_time: 3 })
    expect(readTiming(row, { frt: -1000 })).toEqual({ totalMs: 3000, firstTokenMs: undefined, tokensPerSecond: 10 })
  })

  test('an answer without tokens or without time has no speed', () => {
    expect(readTiming(entry({ completion_tokens: 0 }), { use_ms: 5 }).tokensPerSecond).toBeUndefined()
    expect(readTiming(entry({ completion_tokens: 5 }), { use_ms: 0 }).tokensPerSecond).toBeUndefined()
  })
})

test('the price of a million tokens, where something was priced', () => {
  expect(unitsPerMillion(entry({ quota: 300, prompt_tokens: 100, completion_tokens: 50 }))).toBe(2_000_000)
  expect(unitsPerMillion(entry({ quota: 300 }))).toBeUndefined()
})

test('short times keep a figure', () => {
  expect([0, 4, 50, 812, 4100, 12_345].map(formatSeconds)).toEqual(['0.0', '0.004', '0.05', '0.8', '4.1', '12'])
})
