import { expect, test } from 'bun:test'
import { createSecrets } from './crypto.ts'

const secrets = createSecrets('the secret key of this one')

test('decrypts what the same secret key encrypted, and never encrypts twice to the same text', () => {
  expect(secrets.decrypt(secrets.encrypt('sk-1 密钥'))).toBe('sk-1 密钥')
  expect(secrets.encrypt('sk-1')).not.toBe(secrets.encrypt('sk-1'))
})

test.each([
  ['encrypted with another secret key', createSecrets('the secret key of another').encrypt('sk-1')],
  ['changed', secrets.encrypt('sk-1').replace(/.{3}$/, 'AAA')],
  ['truncated', secrets.encrypt('sk-1').slice(0, 20)],
])('rejects a text that was %s with a message for the operator', (_, encrypted) => {
  expect(() => secrets.decrypt(encrypted)).toThrow(
    'the text is damaged or was encrypted with another secret key',
  )
})
