import { expect, test } from 'bun:test'
import {
  dollarsToQuota,
  formatDateTime,
  formatExactMoney,
  formatMoney,
  formatPrice,
  formatRelative,
  type MoneyRules,
  parseDateTime,
  timeZoneName,
} from './format.tsx'

const rules: MoneyRules = { quotaPerUnit: 500_000, isInCurrency: true, language: 'en' }

test.each([
  [0, '$0.00'],
  [500_000, '$1.00'],
  [1_550_000, '$3.10'],
  [617_283_945, '$1,234.57'],
  [50_000, '$0.10'],
  [5000, '$0.01'],
  [8333, '$0.017'],
  [16, '$0.000032'],
  [1, '$0.000002'],
  [-1_550_000, '-$3.10'],
])('writes %d quota as %s', (quota, written) => {
  expect(formatMoney(quota, rules)).toBe(written)
})

test.each([
  [0, '$0.00'],
  [2.5, '$2.50'],
  [0.125, '$0.125'],
  [0.0375, '$0.0375'],
  [0.00000125, '$0.00000125'],
  [0.3 * 8.33333333, '$2.50'],
  [1234.5, '$1,234.50'],
])('writes a price of %d dollars with all of its digits', (dollars, written) => {
  expect(formatPrice(dollars, 'en')).toBe(written)
})

test('formats plain quota when currency display is off', () => {
  expect(formatMoney(1_550_000, { ...rules, isInCurrency: false })).toBe('1,550,000')
})

test('uses the quota per dollar of the installation', () => {
  expect(formatMoney(1000, { ...rules, quotaPerUnit: 1000 })).toBe('$1.00')
})

test('formats exact amounts with six decimals', () => {
  expect(formatExactMoney(2628, rules)).toBe('$0.005256')
  expect(formatExactMoney(-2628, rules)).toBe('-$0.005256')
})

test('never shows a small cost as zero', () => {
  for (let quota = 1; quota < 50_000; quota += 7) expect(formatMoney(quota, rules)).not.toBe('$0.00')
})

test('converts dollars to whole quota', () => {
  expect(dollarsToQuota(0.1, 500_000)).toBe(50_000)
  expect(dollarsToQuota(1 / 3, 500_000)).toBe(166_667)
})

test('formats a time in the local time zone with leading zeros', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5).getTime() / 1000
  expect(formatDateTime(at)).toBe('2026-01-02 03:04:05')
})

test('parses what it formats', () => {
  const at = new Date(2026, 10, 21, 23, 59, 58).getTime() / 1000
  expect(parseDateTime(formatDateTime(at))).toBe(at)
})

test('parses a date without time as midnight', () => {
  expect(parseDateTime('2026-11-21')).toBe(new Date(2026, 10, 21).getTime() / 1000)
})

test.each(['', 'tomorrow', '2026-13-01 00:00:00', '2026-02-30', '2026-11-21 24:61:00', '21/11/2026'])(
  'refuses %p',
  text => {
    expect(parseDateTime(text)).toBeUndefined()
  },
)

test('formats relative times in the given language', () => {
  expect(formatRelative(1000, 1000 + 180, 'en')).toBe('3 minutes ago')
  expect(formatRelative(1000 + 2 * 86_400, 1000, 'zh')).toBe('后天')
  expect(formatRelative(1000, 1000 + 400 * 86_400, 'en')).toBe('last year')
})

test('names the time zone by its offset from UTC', () => {
  expect(timeZoneName()).toMatch(/^UTC[+-]\d{1,2}(:\d{2})?$/)
})
