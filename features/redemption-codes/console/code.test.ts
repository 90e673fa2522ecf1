import { expect, test } from 'bun:test'
import type { Redemption } from '../contract.ts'
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

test('shows an unknown status as unknown', () => {
  expect([1, 2, 3, 7].map(status => codeStatus({ ...code, status }))).toEqual([
    'unused',
    'disabled',
    'used',
    'unknown',
  ])
})

test('masks a code after its first four digits', () => {
  expect(maskedCode(code)).toBe('0123••••••••')
})

test('copies one code per line after its name', () => {
  expect(copyLines([code, { ...code, name: 'b', key: 'ff' }])).toBe(
    'spring    0123456789abcdef0123456789abcdef\nb    ff',
  )
})
