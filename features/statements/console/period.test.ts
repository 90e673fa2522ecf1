import { expect, test } from 'bun:test'
import { monthAround } from './period.ts'

const at = (year: number, month: number, day: number): number => new Date(year, month, day).getTime() / 1000

test('covers a calendar month from its first to its last second', () => {
  expect(monthAround(at(2026, 1, 14), 0)).toEqual({ start: at(2026, 1, 1), end: at(2026, 2, 1) - 1 })
})

test('moves over the end of a year, also from a day that the other month lacks', () => {
  expect(monthAround(at(2026, 0, 31), -1)).toEqual({ start: at(2025, 11, 1), end: at(2026, 0, 1) - 1 })
  expect(monthAround(at(2026, 0, 31), 1)).toEqual({ start: at(2026, 1, 1), end: at(2026, 2, 1) - 1 })
})
