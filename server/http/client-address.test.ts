import { expect, test } from 'bun:test'
import { createTrustedProxies } from './client-address.ts'

const read = (
  headers: Record<string, string>,
  { peer = '127.0.0.1', header }: { peer?: string; header?: string } = {},
) =>
  createTrustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'], header).clientAddress(
    new Request('http://gate.example/', { headers }),
    peer,
  )

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:5678', '203.0.113.9'],
  ['[2001:db8::5]:443', '2001:db8::5'],
  ['[2001:db8::5]', '2001:db8::5'],
  ['2001:db8::5', '2001:db8::5'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:80', '203.0.113.9'],
  ['6.6.6.6, 203.0.113.9:1, 10.0.0.7:2', '203.0.113.9'],
  ['203.0.113.9, ,', '203.0.113.9'],
  ['10.0.0.5, 10.0.0.7', '10.0.0.5'],
  ['127.0.0.1', '127.0.0.1'],
])('reads X-Forwarded-For %p as %p', (hops, client) => {
  expect(read({ 'x-forwarded-for': hops })).toBe(client)
})

test.each([
  'nonsense',
  'unknown',
  '_hidden',
  '203.0.113.9, nonsense',
  '203.0.113.999',
  '1',
  '0x7f.1',
  '127.1',
  '[2001:db8::5',
  '203.0.113.9:port',
  '',
  ',',
])('takes a client behind X-Forwarded-For %p for an unknown visitor, never for this machine', hops => {
  expect(read({ 'x-forwarded-for': hops })).toBe('unknown')
})

test.each([
  ['for=192.0.2.60;proto=http;by=203.0.113.43', '192.0.2.60'],
  ['For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
  ['for=6.6.6.6, for=198.51.100.17;by=10.0.0.1, for="10.0.0.2:80"', '198.51.100.17'],
  ['proto=https; for=192.0.2.60', '192.0.2.60'],
  ['for=unknown', 'unknown'],
  ['for="_gazonk"', 'unknown'],
  ['by=10.0.0.1', 'unknown'],
])('reads Forwarded %p as %p', (forwarded, client) => {
  expect(read({ forwarded })).toBe(client)
})

test('believes two headers only if they agree', () => {
  expect(read({ forwarded: 'for=192.0.2.60', 'x-forwarded-for': '6.6.6.6, 192.0.2.60' })).toBe('192.0.2.60')
  expect(read({ forwarded: 'for=192.0.2.60', 'x-forwarded-for': '6.6.6.6' })).toBe('unknown')
})

test('prefers the header that the operator names', () => {
  const both = { 'cf-connecting-ip': '192.0.2.60', 'x-forwarded-for': '198.51.100.7' }
  expect(read(both, { header: 'CF-Connecting-IP' })).toBe('192.0.2.60')
  expect(read(both)).toBe('198.51.100.7')
  expect(read({ 'x-forwarded-for': '198.51.100.7' }, { header: 'CF-Connecting-IP' })).toBe('198.51.100.7')
  expect(read({ 'cf-connecting-ip': 'x' }, { header: 'CF-Connecting-IP' })).toBe('unknown')
  expect(read(both, { header: 'CF-Connecting-IP', peer: '203.0.113.1' })).toBe('203.0.113.1')
})

test('is the peer where nothing was forwarded, and unknown where the proxy does not say for whom', () => {
  expect(read({})).toBe('127.0.0.1')
  expect(read({ via: '1.1 proxy' })).toBe('unknown')
  expect(read({ 'x-forwarded-proto': 'https' })).toBe('unknown')
})
