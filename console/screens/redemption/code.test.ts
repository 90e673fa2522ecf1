import { expect, test } from 'bun:test'
import type { Redemption } from '#contract/billing/redemptions.ts'
import { codeStatus, copyLines, maskedCode } from './code.ts'

const code: Redemption = {
  id: 1,
  user_id: 1,
  key: '0123456789abcdef0123456789abcdef',
  status: 1,
  name: 'spring',
  quota: 100_000,
  created_time: 1,
  redeemed_time: 0,
  count: 0,
  used_user_id: 0,
  DeletedAt: null,
}

test('a status that is not known reads as unknown', () => {
  expect([1, 2, 3, 7].map(status => codeStatus({ ...code, status }))).toEqual([
    'unused',
    'disabled',
    'used',
    'unknown',
  ])
})

test('a masked code shows its first four digits only', () => {
  expect(maskedCode(code)).toBe('0123••••••••')
})

test('copied codes stand one a line, after their names', () => {
  expect(copyLines([code, { ...code, name: 'b', key: 'ff' }])).toBe(
    'spring    0123456789abcdef0123456789abcdef\nb    ff',
  )
})
