import { expect, test } from 'bun:test'
import { dollarsToQuota, formatExactMoney, formatMoney, type MoneyRules } from './money.tsx'

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
