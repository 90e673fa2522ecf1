import { expect, test } from 'bun:test'
import type { UsageRow } from '#features/dashboard/contract.ts'
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

test('lists the local midnights of the last thirty days up to today', () => {
  const days = lastDayStarts(NOON)
  expect(days.length).toBe(30)
  expect(new Date((days.at(-1) ?? 0) * 1000)).toEqual(new Date(2026, 10, 21))
  expect(new Date((days[0] ?? 0) * 1000)).toEqual(new Date(2026, 9, 23))
})

test('adds each hour of usage to its local day and shows 0 for days without usage', () => {
  const starts = lastDayStarts(NOON)
  const today = starts.at(-1) ?? 0
  const days = spentByDay([row(today, 10), row(today + 3600, 5), row(today - 1, 7)], starts)
  expect(days.at(-1)).toEqual({ start: today, quota: 15 })
  expect(days.at(-2)?.quota).toBe(7)
  expect(days.at(-3)?.quota).toBe(0)
})

test('forecasts the balance from the last seven days only', () => {
  const starts = lastDayStarts(NOON)
  const days = starts.map((start, index) => ({ start, quota: index < 23 ? 1_000_000 : 700 }))
  expect(forecastBalance(days, 7000)).toEqual({ pace: 700, daysLeft: 10 })
})

test('gives no end for an idle balance and zero days for a negative one', () => {
  const starts = lastDayStarts(NOON)
  expect(forecastBalance(spentByDay([], starts), 500).daysLeft).toBeUndefined()
  expect(forecastBalance(spentByDay([row(NOON, 70)], starts), -500).daysLeft).toBe(0)
})
