import { describe, expect, test } from 'bun:test'
import type { LogEntry } from '../contract/logs.ts'
import {
  durationTone,
  failureReason,
  firstTokenTone,
  formatSeconds,
  readDetail,
  readTiming,
  toCurl,
  typeBadge,
  unitsPerMillion,
} from './entry.ts'

const entry = (changes: Partial<LogEntry>): LogEntry => ({
  id: 1,
  request_id: 'r',
  user_id: 1,
  created_at: 0,
  type: 2,
  content: '',
  username: 'root',
  user_role: 1,
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
  ...changes,
})

test('a failure gives its status, code and message, any other entry nothing', () => {
  const failed = entry({ type: 5, content: 'no channel is left' })
  expect(failureReason(failed, { error: { status: 503, code: 'no_available_channel' } })).toBe(
    '503 no_available_channel · no channel is left',
  )
  expect(failureReason(failed, {})).toBe('no channel is left')
  expect(failureReason(entry({ content: 'x' }), { error: { status: 200, code: 'ok' } })).toBe('')
})

describe('readDetail', () => {
  test('returns an empty detail for missing, malformed or mismatched JSON', () => {
    expect(['', '{', '"x"', '{"use_ms":"soon"}'].map(other => readDetail(entry({ other })))).toEqual([
      {},
      {},
      {},
      {},
    ])
  })

  test('reads the known fields and drops the others', () => {
    expect(readDetail(entry({ other: '{"use_ms":12,"more":1}' }))).toEqual({ use_ms: 12 })
  })
})

describe('readTiming', () => {
  test('measures the speed of a streamed response from its first token', () => {
    const row = entry({ completion_tokens: 30 })
    expect(readTiming(row, { use_ms: 4000, frt: 1000 })).toEqual({
      totalMs: 4000,
      firstTokenMs: 1000,
      tokensPerSecond: 10,
    })
  })

  test('reads -1000 as not streamed and falls back to whole seconds', () => {
    const row = entry({ completion_tokens: 30, use_time: 3 })
    expect(readTiming(row, { frt: -1000 })).toEqual({
      totalMs: 3000,
      firstTokenMs: undefined,
      tokensPerSecond: 10,
    })
  })

  test('reports no speed without output tokens or without a duration', () => {
    expect(readTiming(entry({ completion_tokens: 0 }), { use_ms: 5 }).tokensPerSecond).toBeUndefined()
    expect(readTiming(entry({ completion_tokens: 5 }), { use_ms: 0 }).tokensPerSecond).toBeUndefined()
  })
})

test('computes the price of a million tokens only for a charged request with tokens', () => {
  expect(unitsPerMillion(entry({ quota: 300, prompt_tokens: 100, completion_tokens: 50 }))).toBe(2_000_000)
  expect(unitsPerMillion(entry({ quota: 300 }))).toBeUndefined()
})

test('keeps a significant digit when it formats short durations', () => {
  expect([0, 4, 50, 812, 4100, 12_345].map(formatSeconds)).toEqual([
    '0.0',
    '0.004',
    '0.05',
    '0.8',
    '4.1',
    '12',
  ])
})

test('changes the tone of durations at the thresholds of the specification', () => {
  expect([100, 101, 299, 300].map(durationTone)).toEqual(['success', 'warning', 'warning', 'danger'])
  expect([2.9, 3, 9.9, 10].map(firstTokenTone)).toEqual(['success', 'warning', 'warning', 'danger'])
})

test('names every log type, takes type 0 for consumption and falls back to unknown', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(type => typeBadge(type).textKey)).toEqual([
    'consumption',
    'topUp',
    'consumption',
    'management',
    'system',
    'failure',
    'unknownType',
  ])
})

describe('toCurl', () => {
  const chat = entry({ completion_tokens: 5 })

  test('repeats the model and the stream flag without messages or a key', () => {
    const command = toCurl(chat, 'https://gateway')
    expect(command).toContain("curl 'https://gateway/v1/chat/completions'")
    expect(command).toContain('"model":"gpt-4o","stream":true')
    expect(command).toContain('$TOLLGATE_KEY')
  })

  test('calls the embeddings endpoint for an embedding model and escapes quotes', () => {
    const embedding = toCurl({ ...chat, model_name: 'text-embedding-3', completion_tokens: 0 }, 'https://g')
    expect(embedding).toContain("'https://g/v1/embeddings'")
    expect(toCurl({ ...chat, model_name: "a'b" }, 'https://g')).toContain("a'\\''b")
  })
})
