import { expect, test } from 'bun:test'
import { defaultsOf } from '#contract/entities/stored.ts'
import type { Token } from '#contract/entities/token.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import {
  NEW_TOKEN,
  type TokenFormValues,
  toFormValues,
  tokenFormSchema,
  toTokenChange,
  toTokenDraft,
} from './form-schema.ts'

const schema = tokenFormSchema((key, values) => (values ? `${key} ${Object.values(values).join()}` : key))
const good: TokenFormValues = { ...NEW_TOKEN, name: 'production' }

const problems = (change: Partial<TokenFormValues>): Record<string, string> =>
  Object.fromEntries(
    (schema.safeParse({ ...good, ...change }).error?.issues ?? []).map(issue => [
      String(issue.path[0]),
      issue.message,
    ]),
  )

test('requires only a name for a new token', () => {
  expect(problems({})).toEqual({})
  expect(problems({ name: '  ' })).toEqual({ name: 'nameNeeded' })
  expect(problems({ name: '长'.repeat(31) })).toEqual({ name: 'nameLong 30' })
})

test('accepts an empty expiry or an existing date', () => {
  expect(problems({ expired_time: '2026-12-31 23:59:59' })).toEqual({})
  expect(problems({ expired_time: '2026-02-30 00:00:00' })).toEqual({ expired_time: 'badExpiry' })
})

test('requires a whole quota unless the quota is unlimited', () => {
  for (const remain_quota of ['-1', '1.5', '', 'much', '1e3'])
    expect(problems({ remain_quota })).toEqual({ remain_quota: 'quotaWhole' })
  expect(problems({ remain_quota: '', unlimited_quota: true })).toEqual({})
})

test('accepts a count from 1 to 100, also when the quota is unlimited', () => {
  for (const count of ['0', '101', '1.5', ''])
    expect(problems({ count, unlimited_quota: true })).toEqual({ count: 'countWhole 100' })
  expect(problems({ count: '100' })).toEqual({})
})

test('requires a model when model limits are enabled', () => {
  expect(problems({ model_limits_enabled: true })).toEqual({ model_limits: 'modelsNeeded' })
  expect(problems({ model_limits_enabled: true, model_limits: ['gpt-4o'] })).toEqual({})
})

test('lists the lines that are not an IP address or range', () => {
  expect(problems({ allow_ips: '10.0.0.1\n2001:db8::/32\n192.168.0.0/16' })).toEqual({})
  expect(problems({ allow_ips: '10.0.0.1\nexample.com\n10.0.0.300' })).toEqual({
    allow_ips: '"example.com", "10.0.0.300" are not IP addresses or ranges',
  })
})

test('accepts whole numbers and empty text as request limits', () => {
  expect(problems({ max_concurrency: '', requests_per_minute: ' 60 ' })).toEqual({})
  for (const limit of ['-1', '1.5', 'many', '1000001'])
    expect(problems({ max_concurrency: limit, requests_per_minute: limit })).toEqual({
      max_concurrency: '必须是 0 到 1000000 的整数',
      requests_per_minute: '必须是 0 到 1000000 的整数',
    })
})

test('converts the values to seconds, numbers and comma-separated lists', () => {
  const draft = toTokenDraft({
    ...good,
    expired_time: '2026-12-31 23:59:59',
    model_limits_enabled: true,
    model_limits: ['a', 'b'],
    allow_ips: ' 10.0.0.1 \n\n10.0.0.2',
    max_concurrency: ' 4 ',
    requests_per_minute: '',
  })
  expect(draft).toEqual({
    ...defaultsOf(TokenFields),
    name: 'production',
    group: '',
    expired_time: new Date(2026, 11, 31, 23, 59, 59).getTime() / 1000,
    remain_quota: 500_000,
    unlimited_quota: false,
    model_limits_enabled: true,
    model_limits: 'a,b',
    allow_ips: '10.0.0.1\n10.0.0.2',
    max_concurrency: 4,
    requests_per_minute: 0,
    service_tier: 'allow',
    server_tools: 'allow',
  })
})

test('sends -1 for a token that never expires', () => {
  expect(toTokenDraft(good).expired_time).toBe(-1)
})

test('sends the initial quota with a change', () => {
  const change = toTokenChange(7, { ...good, remain_quota: '900' }, { ...good, remain_quota: '500' })
  expect(change).toMatchObject({ id: 7, remain_quota: 900, remain_quota_seen: 500 })
})

test('leaves a token unchanged when its form is saved as opened', () => {
  const token = {
    ...defaultsOf(TokenFields),
    name: 'x',
    group: 'vip',
    expired_time: 1_800_000_000,
    remain_quota: 42,
    unlimited_quota: false,
    model_limits_enabled: true,
    model_limits: 'a,b',
    allow_ips: '10.0.0.1',
    max_concurrency: 7,
    requests_per_minute: 60,
    service_tier: 'strip' as const,
    server_tools: 'allow' as const,
  }
  expect(toTokenDraft(toFormValues({ ...emptyToken, ...token }))).toEqual(token)
})

const emptyToken: Token = {
  ...defaultsOf(TokenFields),
  id: 1,
  user_id: 1,
  key: '',
  status: 1,
  name: '',
  created_time: 0,
  accessed_time: 0,
  remain_quota: 0,
  used_quota: 0,
  service_tier: 'strip',
  DeletedAt: null,
}
