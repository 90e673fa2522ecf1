import { afterEach, expect, test } from 'bun:test'
import { setClock } from './clock.ts'
import { newRequestId, randomAlphanumeric } from './ids.ts'

const TIME_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
let restore: () => void = () => undefined
afterEach(() => restore())

function stopClockAt(ms: number): void {
  restore()
  restore = setClock({ nowMs: () => ms, elapsedMs: () => ms })
}

test('a request id holds its time to the millisecond, a growing number and eight random characters', () => {
  stopClockAt(TIME_MS)
  expect(newRequestId()).toMatch(/^20260102030405006000001[A-Za-z0-9]{8}$/)
  expect(newRequestId()).toMatch(/^20260102030405006000002[A-Za-z0-9]{8}$/)
  stopClockAt(TIME_MS + 1)
  expect(newRequestId()).toMatch(/^20260102030405007000003[A-Za-z0-9]{8}$/)
  stopClockAt(TIME_MS + 1000)
  expect(newRequestId()).toMatch(/^20260102030406006000001[A-Za-z0-9]{8}$/)
})

test('request ids of one second are unique and sort by creation', () => {
  stopClockAt(TIME_MS)
  const ids = Array.from({ length: 5000 }, newRequestId)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(5000)
})

test('randomAlphanumeric returns the given number of characters', () => {
  for (let length = 0; length < 70; length += 1) expect(randomAlphanumeric(length)).toHaveLength(length)
})

test('randomAlphanumeric draws all letters and digits equally often', () => {
  const counts = new Map<string, number>()
  for (const letter of randomAlphanumeric(620_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect([...counts.keys()].toSorted().join('')).toMatch(/^[0-9]{10}[A-Z]{26}[a-z]{26}$/)
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(800)
})
