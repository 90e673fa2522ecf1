import { expect, test } from 'bun:test'
import { isStalled, StallDetector } from './stall-detector.ts'

const callsSince = (...begins: readonly number[]) =>
  begins.map(sinceMs => ({ kind: 'stream', sinceMs }) as const)
const NEVER = Number.NEGATIVE_INFINITY

test.each([
  { name: 'three calls above the timeout', begins: [0, 10, 20], nowMs: 121, isStalledNow: true },
  { name: 'two of three calls above the timeout', begins: [0, 10, 21], nowMs: 121, isStalledNow: false },
  {
    name: 'two calls above the timeout and one that ended stalled',
    begins: [0, 10, 90],
    nowMs: 121,
    stalledCalls: 1,
    isStalledNow: true,
  },
  {
    name: 'three calls with a recent response of the channel',
    begins: [0, 10, 20],
    nowMs: 121,
    lastByteAtMs: 30,
    isStalledNow: false,
  },
  {
    name: 'three calls long after the last response',
    begins: [0, 10, 20],
    nowMs: 131,
    lastByteAtMs: 30,
    isStalledNow: true,
  },
  {
    name: 'no pending call and three that ended stalled',
    begins: [],
    nowMs: 500,
    stalledCalls: 3,
    isStalledNow: true,
  },
])(
  'reports $name as stalled: $isStalledNow',
  ({ begins, nowMs, stalledCalls = 0, lastByteAtMs = NEVER, isStalledNow }) => {
    const evidence = { stalledCalls, lastByteAtMs, timeoutMs: 100, nowMs }
    expect(isStalled(callsSince(...begins), evidence)).toBe(isStalledNow)
  },
)

/** A detector that saw one stream respond after `tookMs`. */
function detectorAfter(tookMs: number): StallDetector {
  const detector = new StallDetector()
  detector.recordFirstByte(detector.begin('stream', 0), tookMs)
  return detector
}

test('suspects a channel after three times its slowest response, but not before one second', () => {
  for (const [tookMs, timeoutMs] of [
    [20, 1000],
    [2000, 6000],
  ] as const) {
    const detector = detectorAfter(tookMs)
    for (let count = 0; count < 3; count += 1) detector.begin('stream', 10_000)
    expect(detector.skipReason(10_000 + timeoutMs)).toBeUndefined()
    expect(detector.skipReason(10_001 + timeoutMs)).toBe('silent')
  }
})

test('clears the suspicion with the first response of any call, even a late one', () => {
  const detector = detectorAfter(20)
  const calls = [1, 2, 3].map(() => detector.begin('stream', 1000))
  expect(detector.skipReason(5000)).toBe('silent')
  const [first] = calls
  if (first) detector.recordFirstByte(first, 5001)
  expect(detector.skipReason(5002)).toBeUndefined()
})

test('allows a suspect channel one call at a time after its calls ended without a response', () => {
  const detector = detectorAfter(20)
  const calls = [1, 2, 3].map(() => detector.begin('stream', 1000))
  for (const call of calls) detector.abandon(call, 121_000)
  expect(detector.skipReason(121_001)).toBeUndefined()
  const probe = detector.begin('stream', 121_002)
  expect(detector.skipReason(121_003)).toBe('silent')
  detector.recordFirstByte(probe, 121_050)
  detector.begin('stream', 121_060)
  expect(detector.skipReason(121_061)).toBeUndefined()
})

test('does not count calls that ended early as stalled', () => {
  const detector = detectorAfter(20)
  for (let count = 0; count < 10; count += 1) detector.abandon(detector.begin('stream', 1000), 1500)
  detector.begin('stream', 2000)
  expect(detector.skipReason(2001)).toBeUndefined()
})

test('gives JSON responses their own timeout when only streams were seen', () => {
  const detector = detectorAfter(20)
  for (let count = 0; count < 3; count += 1) detector.begin('json', 1000)
  expect(detector.skipReason(30_000)).toBeUndefined()
  expect(detector.skipReason(61_001)).toBe('silent')
})

test('limits a channel without any response to five waiting calls', () => {
  const detector = new StallDetector()
  const calls = [1, 2, 3, 4].map(() => detector.begin('json', 0))
  expect(detector.skipReason(1)).toBeUndefined()
  detector.begin('json', 1)
  expect(detector.skipReason(2)).toBe('not heard yet')
  const [first, second] = calls
  if (second) detector.abandon(second, 3)
  expect(detector.skipReason(4)).toBe('not heard yet')
  if (first) detector.recordFirstByte(first, 10)
  expect(detector.skipReason(11)).toBeUndefined()
})
