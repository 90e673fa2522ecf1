import { expect, test } from 'bun:test'
import type { UsageRow } from '#contract/billing/usage.ts'
import { forecastBalance, lastDayStarts, spentByDay } from './forecast.ts'

const NOON = Math.floor(new Date(2026, 10, 21, 12).getTime() / 1000)

const row = (created_at: number, quota: number): UsageRow => ({
  id: 1,
  user_id: 1,
  username: '',
  model_name: 'gpt-4o',
  created_at,
  token_used: 0,
  count: 1,
  quota,
})

test('the thirty days end with today and begin at local midnights', () => {
  const days = lastDayStarts(NOON)
  expect(days.length).toBe(30)
  expect(new Date((days.at(-1) ?? 0) * 1000)).toEqual(new Date(2026, 10, 21))
  expect(new Date((days[0] ?? 0) * 1000)).toEqual(new Date(2026, 9, 23))
})

test('every hour counts for the day that it lies in, and idle days stand at nothing', () => {
  const starts = lastDayStarts(NOON)
  const today = starts.at(-1) ?? 0
  const days = spentByDay([row(today, 10), row(today + 3600, 5), row(today - 1, 7)], starts)
  expect(days.at(-1)).toEqual({ start: today, quota: 15 })
  expect(days.at(-2)?.quota).toBe(7)
  expect(days.at(-3)?.quota).toBe(0)
})

test('a balance lasts as long as the pace of seven days says, older days do not count', () => {
  const starts = lastDayStarts(NOON)
  const days = starts.map((start, index) => ({ start, quota: index < 23 ? 1_000_000 : 700 }))
  expect(forecastBalance(days, 7000)).toEqual({ pace: 700, daysLeft: 10 })
})

test('a balance that nobody spends has no end, and a debt has none left', () => {
  const starts = lastDayStarts(NOON)
  expect(forecastBalance(spentByDay([], starts), 500).daysLeft).toBeUndefined()
  expect(forecastBalance(spentByDay([row(NOON, 70)], starts), -500).daysLeft).toBe(0)
})
