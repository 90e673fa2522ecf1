import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from './clock.ts'
import { openSlidingWindow } from './sliding-window.ts'

let now = 1_000_000
let restore: () => void
beforeEach(() => {
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
})
afterEach(() => restore())

test('a key is full after as many events as the limit, until the oldest leaves the window', () => {
  const window = openSlidingWindow({ limit: 2, windowMs: 1000, keysMax: 10 })
  window.add('a')
  now += 400
  window.add('a')
  expect(window.waitMs('a')).toBe(600)
  expect(window.waitMs('b')).toBe(0)
  now += 600
  expect(window.waitMs('a')).toBe(0)
})

test('a forgotten key starts anew', () => {
  const window = openSlidingWindow({ limit: 1, windowMs: 1000, keysMax: 10 })
  window.add('a')
  window.forget('a')
  expect(window.waitMs('a')).toBe(0)
})

test('memory is bounded: the key unused for longest makes room', () => {
  const window = openSlidingWindow({ limit: 1, windowMs: 1000, keysMax: 2 })
  for (const key of ['a', 'b', 'c']) window.add(key)
  expect(['a', 'b', 'c'].map(key => window.waitMs(key) > 0)).toEqual([false, true, true])
})
