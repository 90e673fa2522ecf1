import { expect, test } from 'bun:test'
import { TokenDraft } from './token.ts'

const draft = (change: object) => TokenDraft.safeParse({ name: 'a', ...change })

test('requires a name of 1 to 30 characters, counted as code points', () => {
  expect(draft({ name: '   ' }).success).toBe(false)
  expect(draft({ name: '字'.repeat(30) }).success).toBe(true)
  expect(draft({ name: '😀'.repeat(30) }).success).toBe(true)
  expect(draft({ name: 'a'.repeat(31) }).success).toBe(false)
})

test('accepts IPv4 and IPv6 addresses and ranges without blanks and duplicates', () => {
  const text = ' 10.0.0.1 \n\n2001:db8::/32,10.0.0.0/8\n10.0.0.1\n::1'
  expect(draft({ allow_ips: text }).data?.allow_ips).toBe('10.0.0.1\n2001:db8::/32\n10.0.0.0/8\n::1')
})

test('names the invalid line of an address list', () => {
  const issue = draft({ allow_ips: '10.0.0.1\n10.0.0.256' }).error?.issues[0]
  expect(issue?.message).toContain('"10.0.0.256"')
})

test('requires a non-negative integer quota', () => {
  for (const bad of [-1, 1.5, 1e300, '5', Number.NaN])
    expect(draft({ remain_quota: bad }).success).toBe(false)
})

test('treats an expiry of 0 as never', () => {
  expect(draft({ expired_time: 0 }).data?.expired_time).toBe(-1)
  expect(draft({ expired_time: -2 }).success).toBe(false)
})
