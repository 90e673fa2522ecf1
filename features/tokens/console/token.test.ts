import { expect, test } from 'bun:test'
import { defaultsOf } from '#contract/entities/stored.ts'
import type { Token } from '#contract/entities/token.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { copyLines, maskedKey, tokenStatus } from './token.ts'

const NOW = 1_800_000_000
const token: Token = {
  ...defaultsOf(TokenFields),
  id: 1,
  user_id: 1,
  key: 'abcdefghijklmnop1234',
  status: 1,
  name: 'production',
  created_time: 0,
  accessed_time: 0,
  remain_quota: 0,
  unlimited_quota: true,
  used_quota: 0,
  DeletedAt: null,
}

test.each([
  [{}, 'enabled'],
  [{ model_limits_enabled: true }, 'enabledLimited'],
  [{ status: 2 }, 'disabled'],
  [{ status: 3 }, 'expired'],
  [{ status: 4 }, 'exhausted'],
  [{ status: 9 }, 'unknown'],
  [{ expired_time: NOW - 1 }, 'expired'],
  [{ expired_time: NOW + 1 }, 'enabled'],
] as const)('gives a token with %j the status %s', (change, state) => {
  expect(tokenStatus({ ...token, ...change }, NOW)).toBe(state)
})

test('masks a key except its last four characters', () => {
  expect(maskedKey(token)).toBe('sk-••••••••••1234')
})

test('copies one token per line as name, four spaces and key', () => {
  expect(copyLines([token, { ...token, name: 'b', key: 'k' }])).toBe(
    'production    sk-abcdefghijklmnop1234\nb    sk-k',
  )
})
