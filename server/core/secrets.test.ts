import { expect, test } from 'bun:test'
import { openSecrets } from './secrets.ts'

const own = openSecrets('the secret key of this one')

test('what was sealed is opened by the same secret key, and never looks the same twice', () => {
  expect(own.open(own.seal('sk-1 密钥'))).toBe('sk-1 密钥')
  expect(own.seal('sk-1')).not.toBe(own.seal('sk-1'))
})

test.each([
  ['sealed with another secret key', openSecrets('the secret key of another').seal('sk-1')],
  ['changed', own.seal('sk-1').replace(/.{3}$/, 'AAA')],
  ['cut short', own.seal('sk-1').slice(0, 20)],
])('what was %s says so in words for the operator', (_, sealed) => {
  expect(() => own.open(sealed)).toThrow('it was sealed with another secret key, or is damaged')
})
