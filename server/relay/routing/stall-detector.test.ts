import { expect, test } from 'bun:test'
import { hasFallenSilent, Silence } from './stall-detector.ts'

const callsSince = (...begins: readonly number[]) =>
  begins.map(sinceMs => ({ kind: 'stream', sinceMs }) as const)
const NEVER = Number.NEGATIVE_INFINITY

test.each([
  { what: 'three that waited too long', begins: [0, 10, 20], nowMs: 121, is: true },
  { what: 'two of three that waited too long', begins: [0, 10, 21], nowMs: 121, is: false },
  { what: 'two of them, and one that ended so', begins: [0, 10, 90], nowMs: 121, lost: 1, is: true },
  { what: 'three, but a word was heard meanwhile', begins: [0, 10, 20], nowMs: 121, heardMs: 30, is: false },
  { what: 'three, long after the last word', begins: [0, 10, 20], nowMs: 131, heardMs: 30, is: true },
  { what: 'none under way, three that ended so', begins: [], nowMs: 500, lost: 3, is: true },
])('silent with $what: $is', ({ begins, nowMs, lost = 0, heardMs = NEVER, is }) => {
  const heard = { lost, heardMs, patienceMs: 100, nowMs }
  expect(hasFallenSilent(callsSince(...begins), heard)).toBe(is)
})

/** A channel that answered a stream after so long. */
function heardAfter(tookMs: number): Silence {
  const silence = new Silence()
  silence.hear(silence.begin('stream', 0), tookMs)
  return silence
}

test('a channel that was quick is suspect a second after three calls heard nothing, a slow one after three times its slowest', () => {
  for (const [tookMs, patienceMs] of [
    [20, 1000],
    [2000, 6000],
  ] as const) {
    const silence = heardAfter(tookMs)
    for (let count = 0; count < 3; count += 1) silence.begin('stream', 10_000)
    expect(silence.obstacle(10_000 + patienceMs)).toBeUndefined()
    expect(silence.obstacle(10_001 + patienceMs)).toBe('silent')
  }
})

test('the first word of any call clears it, a late one too', () => {
  const silence = heardAfter(20)
  const calls = [1, 2, 3].map(() => silence.begin('stream', 1000))
  expect(silence.obstacle(5000)).toBe('silent')
  const [first] = calls
  if (first) silence.hear(first, 5001)
  expect(silence.obstacle(5002)).toBeUndefined()
})

test('a suspect whose calls have all ended unheard has one at a time to clear itself', () => {
  const silence = heardAfter(20)
  const calls = [1, 2, 3].map(() => silence.begin('stream', 1000))
  for (const call of calls) silence.leave(call, 121_000)
  expect(silence.obstacle(121_001)).toBeUndefined()
  const probe = silence.begin('stream', 121_002)
  expect(silence.obstacle(121_003)).toBe('silent')
  silence.hear(probe, 121_050)
  silence.begin('stream', 121_060)
  expect(silence.obstacle(121_061)).toBeUndefined()
})

test('calls that ended soon say nothing of silence', () => {
  const silence = heardAfter(20)
  for (let count = 0; count < 10; count += 1) silence.leave(silence.begin('stream', 1000), 1500)
  silence.begin('stream', 2000)
  expect(silence.obstacle(2001)).toBeUndefined()
})

test('whole answers may take their time where only streams are known', () => {
  const silence = heardAfter(20)
  for (let count = 0; count < 3; count += 1) silence.begin('whole', 1000)
  expect(silence.obstacle(30_000)).toBeUndefined()
  expect(silence.obstacle(61_001)).toBe('silent')
})

test('of a channel never heard of five calls wait for the first word, until it comes', () => {
  const silence = new Silence()
  const calls = [1, 2, 3, 4].map(() => silence.begin('whole', 0))
  expect(silence.obstacle(1)).toBeUndefined()
  silence.begin('whole', 1)
  expect(silence.obstacle(2)).toBe('not heard yet')
  const [first, second] = calls
  if (second) silence.leave(second, 3)
  expect(silence.obstacle(4)).toBe('not heard yet')
  if (first) silence.hear(first, 10)
  expect(silence.obstacle(11)).toBeUndefined()
})
