import { expect, test } from 'bun:test'
import { toWaterfall } from './waterfall.ts'

test('attempts stand one after another, to the scale of the whole request', () => {
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
  expect(steps.map(step => step.isGood)).toEqual([false, true])
})

test('a whole that is shorter than its parts, or nothing at all, is stretched to them', () => {
  expect(toWaterfall([{ status: 200, ms: 40 }], 10)[0]?.share).toBe(1)
  expect(toWaterfall([{ status: 502, ms: 0 }], 0)[0]?.share).toBe(0)
})

test('who must not see channels sees numbered attempts', () => {
  expect(toWaterfall([{ status: 200, ms: 1 }], 1)[0]).toMatchObject({ number: 1, channel: undefined })
})
