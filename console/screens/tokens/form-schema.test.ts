import { expect, test } from 'bun:test'
import type { Token } from '#contract/tokens.ts'
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

test('a new token needs only its name', () => {
  expect(problems({})).toEqual({})
  expect(problems({ name: '  ' })).toEqual({ name: 'nameNeeded' })
  expect(problems({ name: '长'.repeat(31) })).toEqual({ name: 'nameLong 30' })
})

test('an expiry is empty or a real date', () => {
  expect(problems({ expiry: '2026-12-31 23:59:59' })).toEqual({})
  expect(problems({ expiry: '2026-02-30 00:00:00' })).toEqual({ expiry: 'badExpiry' })
})

test('a quota is a whole number, and is not looked at when it is unlimited', () => {
  for (const quota of ['-1', '1.5', '', 'much', '1e3'])
    expect(problems({ quota })).toEqual({ quota: 'quotaWhole' })
  expect(problems({ quota: '', isUnlimited: true })).toEqual({})
})

test('a count is from 1 to 100, also when the quota is unlimited', () => {
  for (const count of ['0', '101', '1.5', ''])
    expect(problems({ count, isUnlimited: true })).toEqual({ count: 'countWhole 100' })
  expect(problems({ count: '100' })).toEqual({})
})

test('limits need a model', () => {
  expect(problems({ isLimited: true })).toEqual({ models: 'modelsNeeded' })
  expect(problems({ isLimited: true, models: ['gpt-4o'] })).toEqual({})
})

test('lines that are no address are named', () => {
  expect(problems({ addresses: '10.0.0.1\n2001:db8::/32\n192.168.0.0/16' })).toEqual({})
  expect(problems({ addresses: '10.0.0.1\nexample.com\n10.0.0.300' })).toEqual({
    addresses: 'badAddresses example.com, 10.0.0.300',
  })
})

test('limits of requests are whole numbers; nothing typed is no limit', () => {
  expect(problems({ concurrency: '', perMinute: ' 60 ' })).toEqual({})
  for (const limit of ['-1', '1.5', 'many', '1000001'])
    expect(problems({ concurrency: limit, perMinute: limit })).toEqual({
      concurrency: 'limitWhole 1000000',
      perMinute: 'limitWhole 1000000',
    })
})

test('sends seconds, comma texts and whole quota', () => {
  const draft = toTokenDraft({
    ...good,
    expiry: '2026-12-31 23:59:59',
    isLimited: true,
    models: ['a', 'b'],
    addresses: ' 10.0.0.1 \n\n10.0.0.2',
    concurrency: ' 4 ',
    perMinute: '',
  })
  expect(draft).toEqual({
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
  })
})

test('never is sent as -1', () => {
  expect(toTokenDraft(good).expired_time).toBe(-1)
})

test('a change says what could be spent when the form was opened', () => {
  const change = toTokenChange(7, { ...good, quota: '900' }, { ...good, quota: '500' })
  expect(change).toMatchObject({ id: 7, remain_quota: 900, remain_quota_seen: 500 })
})

test('a token goes through the form unchanged', () => {
  const token = {
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
  }
  expect(toTokenDraft(toFormValues({ ...emptyToken, ...token }))).toEqual(token)
})

const emptyToken: Token = {
  id: 1,
  user_id: 1,
  key: '',
  status: 1,
  name: '',
  created_time: 0,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  used_quota: 0,
  group: '',
  max_concurrency: 0,
  requests_per_minute: 0,
  DeletedAt: null,
}
