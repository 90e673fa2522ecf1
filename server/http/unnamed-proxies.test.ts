import { afterEach, beforeEach, expect, test } from 'bun:test'
import { listUnnamedProxies } from '#contract/options/unnamed-proxies.ts'
import { setClock } from '../core/clock.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import { signInNetwork } from './client-address.ts'

let app: TestApp
afterEach(() => app.close())
beforeEach(async () => {
  app = await openTestApp()
})

const FORWARDED = { 'x-forwarded-for': '203.0.113.7' }
const visit = (address: string, headers: Record<string, string> = FORWARDED) =>
  app.visitor.fetch('/api/status', { headers }, address)
const listed = async () => (await app.root.call(listUnnamedProxies)).data

test('lists private addresses that forward requests, once each, for an hour', async () => {
  for (const address of ['127.0.0.1', '172.18.0.1', '::ffff:172.18.0.1', 'fd00::1']) await visit(address)
  await visit('172.18.0.2', { forwarded: 'for=203.0.113.7' })
  await visit('172.18.0.3', { via: '1.1 proxy' })
  expect(await listed()).toEqual(['127.0.0.1', '172.18.0.1', 'fd00::1', '172.18.0.2', '172.18.0.3'])
  const restore = setClock({ nowMs: () => Date.now() + 61 * 60_000, elapsedMs: () => 0 })
  try {
    expect(await listed()).toEqual([])
  } finally {
    restore()
  }
})

test('ignores public addresses, direct requests and trusted proxies', async () => {
  await visit('198.51.100.1')
  await visit('172.18.0.1', {})
  expect(await listed()).toEqual([])
  await app.close()
  app = await openTestApp({ parts: { trustedProxies: ['172.16.0.0/12'] } })
  await visit('172.18.0.1')
  expect(await listed()).toEqual([])
})

test('is for the super administrator only', async () => {
  const admin = await app.addUser({ username: 'admin', role: 'admin' })
  expect((await admin.call(listUnnamedProxies)).code).toBe('auth.no_permission')
})

test.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2ff:3:4:5:6', '2001:db8:1:200::/56'],
  ['unknown', 'unknown'],
])('counts failed sign-ins of %s by %s', (clientIp, network) => {
  const request = new Request('http://a.test', { headers: FORWARDED })
  expect(signInNetwork(request, { clientIp, isProxyUnnamed: false })).toBe(network)
})

test('keeps visitors of an unnamed proxy apart by the address that it appended', () => {
  const stated = (value: string) =>
    signInNetwork(new Request('http://a.test', { headers: { 'x-forwarded-for': value } }), {
      clientIp: '127.0.0.1',
      isProxyUnnamed: true,
    })
  expect(stated('1.1.1.1, 203.0.113.7')).toBe('stated 203.0.113.0/24')
  expect(stated('nonsense')).toBe('127.0.0.0/24')
})
