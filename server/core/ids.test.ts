import { afterEach, expect, test } from 'bun:test'
import { setClock } from './clock.ts'
import { newRequestId, randomAlphanumeric } from './ids.ts'

const MOMENT_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
let restore: () => void = () => undefined
afterEach(() => restore())

function stopClockAt(ms: number): void {
  restore()
  restore = setClock({ nowMs: () => ms, elapsedMs: () => ms })
}

test('a request id tells its second and its thousandth, a number that grows, and eight letters', () => {
  stopClockAt(MOMENT_MS)
  expect(newRequestId()).toMatch(/^20260102030405006000001[A-Za-z0-9]{8}$/)
  expect(newRequestId()).toMatch(/^20260102030405006000002[A-Za-z0-9]{8}$/)
  stopClockAt(MOMENT_MS + 1)
  expect(newRequestId()).toMatch(/^20260102030405007000003[A-Za-z0-9]{8}$/)
  stopClockAt(MOMENT_MS + 1000)
  expect(newRequestId()).toMatch(/^20260102030406006000001[A-Za-z0-9]{8}$/)
})

test('ids of one second sort by their order, and none comes twice', () => {
  stopClockAt(MOMENT_MS)
  const ids = Array.from({ length: 5000 }, newRequestId)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(5000)
})

test('a random text has the length that is asked for', () => {
  for (let length = 0; length < 70; length += 1) expect(randomAlphanumeric(length)).toHaveLength(length)
})

test('all letters and digits are equally likely', () => {
  const counts = new Map<string, number>()
  for (const letter of randomAlphanumeric(620_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect([...counts.keys()].toSorted().join('')).toMatch(/^[0-9]{10}[A-Z]{26}[a-z]{26}$/)
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(800)
})
