import { expect, test } from 'bun:test'
import { amountRules, formatYuan, parseAmount, quotedRatio } from './amount.ts'

const STATUS = { min_topup: 1, quota_per_unit: 500_000, display_in_currency: true, price: 7.3 }

test('offers no amount below the minimum', () => {
  expect(amountRules({ ...STATUS, min_topup: 8 }).presets).toEqual([10, 20, 50, 100])
  expect(amountRules({ ...STATUS, min_topup: 300 }).presets).toEqual([300, 600, 1500])
})

test('counts in quota units where the installation shows units', () => {
  const rules = amountRules({ ...STATUS, display_in_currency: false })
  expect(rules.minimum).toBe(500_000)
  expect(rules.presets[0]).toBe(500_000)
  expect(rules.unitsPerAmount).toBe(1)
  expect(formatYuan(rules.price * 500_000)).toBe('¥7.30')
})

test('raises an amount below one to one and rejects text that is not a number', () => {
  expect(['0', '-4', '0.5', '3.9', ' 20 '].map(parseAmount)).toEqual([1, 1, 1, 3, 20])
  expect(['', 'x', ' '].map(parseAmount)).toEqual([undefined, undefined, undefined])
})

test('reads the group ratio back from a quoted price', () => {
  const rules = amountRules(STATUS)
  expect(quotedRatio(65.7, 10, rules)).toBe(0.9)
  expect(quotedRatio(73, 10, rules)).toBe(1)
})
