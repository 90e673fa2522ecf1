import { expect, test } from 'bun:test'
import type { UsageRow } from '../contract.ts'
import { previousPeriod, stepOf, toPeriod } from './dashboard.ts'
import { OTHER, rankModels, sumUsage, toSeries, toSlots } from './usage-data.ts'

const at = (...parts: readonly [number, number, number, number?]): number =>
  Math.floor(new Date(parts[0], parts[1], parts[2], parts[3] ?? 0).getTime() / 1000)

const row = (created_at: number, model_name: string, quota: number): UsageRow => ({
  id: 1,
  user_id: 1,
  username: '',
  model_name,
  created_at,
  token_used: quota * 2,
  count: 1,
  quota,
})

const NOW = at(2026, 10, 21, 12)
const lastWeek = { range: '7d', from: '', to: '' } as const
const options = { step: 'day', measure: 'quota', language: 'zh' } as const

test('starts days at local midnight and includes days without usage', () => {
  const period = toPeriod(lastWeek, false, NOW)
  const slots = toSlots(
    [row(at(2026, 10, 20, 23), 'a', 5), row(at(2026, 10, 21), 'a', 7)],
    period,
    options,
    new Set('a'),
  )
  expect(slots.map(({ label, values }) => [label.slice(5), values.a ?? 0])).toEqual([
    ['11-14', 0],
    ['11-15', 0],
    ['11-16', 0],
    ['11-17', 0],
    ['11-18', 0],
    ['11-19', 0],
    ['11-20', 5],
    ['11-21', 7],
  ])
})

test('starts weeks on Monday in Chinese and on Sunday in English', () => {
  const period = toPeriod({ ...lastWeek, range: '30d' }, false, NOW)
  const firstDays = (language: 'zh' | 'en') =>
    toSlots([], period, { ...options, step: 'week', language }, new Set()).map(({ key }) =>
      new Date(key * 1000).getDay(),
    )
  expect(new Set(firstDays('zh'))).toEqual(new Set([1]))
  expect(new Set(firstDays('en'))).toEqual(new Set([0]))
})

test('slots add up to the usage of all rows, including the smaller models', () => {
  const rows = Array.from({ length: 12 }, (_, index) => row(NOW - index * 3600, `m${index}`, index + 1))
  const ranked = rankModels(rows, 'quota')
  const series = toSeries(ranked, 'rest')
  expect(series).toHaveLength(9)
  expect(series.at(-1)).toMatchObject({ id: OTHER, name: 'rest' })
  const ids = new Set(series.map(({ id }) => id))
  const slots = toSlots(
    rows,
    toPeriod({ ...lastWeek, range: '24h' }, false, NOW),
    { ...options, step: 'hour' },
    ids,
  )
  const total = slots.flatMap(({ values }) => Object.values(values)).reduce((sum, value) => sum + value, 0)
  expect(total).toBe(sumUsage(rows).quota)
  expect(ranked[0]).toEqual({ model: 'm11', value: 12 })
})

test('cuts the period of an ordinary user to 30 days and marks it; the previous period is as long', () => {
  const params = { range: '30d', from: String(NOW - 90 * 86_400), to: String(NOW) } as const
  const period = toPeriod(params, false, NOW)
  expect(period).toEqual({ start: NOW - 30 * 86_400, end: NOW, isCut: true })
  expect(toPeriod(params, true, NOW).start).toBe(NOW - 90 * 86_400)
  const before = previousPeriod(period)
  expect(before.end - before.start).toBe(period.end - period.start - 1)
})

test('shows more than a week by day where the installation shows hours', () => {
  const step = (range: '7d' | '30d', own: 'hour' | 'day' | 'week') =>
    stepOf(toPeriod({ ...lastWeek, range }, true, NOW), own)
  expect([step('7d', 'hour'), step('30d', 'hour'), step('30d', 'week')]).toEqual(['hour', 'day', 'week'])
})
