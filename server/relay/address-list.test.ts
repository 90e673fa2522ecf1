import { expect, test } from 'bun:test'
import { isAddressAllowed } from './address-list.ts'

test.each([
  ['', '1.2.3.4', true],
  ['1.2.3.4', '1.2.3.4', true],
  ['1.2.3.4', '1.2.3.5', false],
  ['1.2.3.4', '::ffff:1.2.3.4', true],
  ['10.0.0.0/8', '10.9.8.7', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['2001:db8::/32', '2001:db8::1', true],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', true],
  ['2001:db8::/32', '10.0.0.1', false],
  ['1.1.1.1\n\n 2.2.2.2 ', '2.2.2.2', true],
  ['not an address', '1.2.3.4', false],
  ['1.2.3.4', 'unknown', false],
])('list %j lets %s in: %p', (list, address, isAllowed) => {
  expect(isAddressAllowed(list, address)).toBe(isAllowed)
})
