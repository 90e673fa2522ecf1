import { expect, test } from 'bun:test'
import { candidateStatus, toWaterfall } from './routing.ts'

test('places the attempts one after another to the scale of the whole request', () => {
  const steps = toWaterfall(
    [
      { channel_id: 3, channel_name: 'a', status: 429, ms: 100, code: 'rate_limited' },
      { channel_id: 7, channel_name: 'b', status: 200, ms: 300 },
    ],
    500,
  )
  expect(steps.map(({ startShare, share }) => [startShare, share])).toEqual([
    [0, 0.2],
    [0.2, 0.6],
  ])
  expect(steps.map(step => step.isSuccess)).toEqual([false, true])
})

test('scales to the sum of the attempts when the request is shorter or took no time', () => {
  expect(toWaterfall([{ status: 200, ms: 40 }], 10)[0]?.share).toBe(1)
  expect(toWaterfall([{ status: 502, ms: 0 }], 0)[0]?.share).toBe(0)
})

test('numbers the attempts when the channels are hidden', () => {
  expect(toWaterfall([{ status: 200, ms: 1 }], 1)[0]).toMatchObject({ number: 1, channel: undefined })
})

test('tells tried, skipped and unneeded candidates apart', () => {
  const attempts = [
    { channel_id: 1, status: 0, ms: 0, code: 'upstream_failed' },
    { channel_id: 2, status: 503, ms: 9, code: 'x' },
    { channel_id: 3, status: 0, ms: 0, code: 'too_many_requests' },
    { channel_id: 3, status: 200, ms: 9 },
  ]
  expect([1, 2, 3, 4].map(id => candidateStatus(id, attempts))).toEqual([
    'skipped',
    'tried',
    'tried',
    'notNeeded',
  ])
  expect(candidateStatus(4, attempts.slice(0, 2))).toBe('notTried')
})
