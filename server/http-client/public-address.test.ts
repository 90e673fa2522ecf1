import { expect, test } from 'bun:test'
import { isPublicAddress, isWithin } from './public-address.ts'

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '172.15.255.255',
  '192.169.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
  '2a00:1450::5efd:a00:1',
  '2a00:1450::1:5efe:a00:1',
  '168.63.129.17',
  '2a00:1450::300:5efe:a00:1',
])('accepts %s as public', address => expect(isPublicAddress(address)).toBe(true))

test.each(['168.63.129.16', '2a00:1450::5efe:10.0.0.1', '2a00:1450::200:5efe:a00:1'])(
  'rejects %s, which a cloud or an IPv4 network serves',
  address => expect(isPublicAddress(address)).toBe(false),
)

test.each(['127.0.0.1', '::1', 'fe80::1%eth0', '2001:db8::1', 'example.com', '', '8.8.8.8:80'])(
  'rejects %p as not public',
  address => expect(isPublicAddress(address)).toBe(false),
)

test('finds an address among addresses and ranges of its own family', () => {
  expect(isWithin('10.1.2.3', ['192.168.0.0/16', '10.0.0.0/8'])).toBe(true)
  expect(isWithin('::1', ['10.0.0.0/8', '0:0:0:0:0:0:0:1'])).toBe(true)
  expect(isWithin('::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe(false)
  expect(isWithin('10.1.2.3', [])).toBe(false)
})
