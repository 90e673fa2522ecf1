import { expect, test } from 'bun:test'
import { randomBytes, scryptSync } from 'node:crypto'
import {
  createSecrets,
  hashPassword,
  hashPasswordSha256,
  isScryptHash,
  sha256,
  verifyPassword,
} from './crypto.ts'

const secrets = createSecrets('the secret key of this one')

test('decrypts texts of the same secret key, and never encrypts twice to the same text', () => {
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

function scryptHash(password: string): string {
  const salt = randomBytes(16)
  const key = scryptSync(password, salt, 32, { N: 16_384, r: 8, p: 1 })
  return `scrypt:${Buffer.concat([salt, key]).toString('base64')}`
}

test.each([
  ['argon2id', (password: string) => hashPassword(password)],
  ['bcrypt', (password: string) => Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 })],
  ['scrypt', async (password: string) => scryptHash(password)],
  ['the SHA-256 of the password', async (password: string) => hashPasswordSha256(sha256(password))],
])('accepts the right password and no other for %s', async (_, hash) => {
  const stored = await hash('correct 密码')
  expect(await verifyPassword('correct 密码', stored)).toBe(true)
  expect(await verifyPassword('wrong', stored)).toBe(false)
})

test('accepts no password for an empty or cut hash', async () => {
  expect(await verifyPassword('', '')).toBe(false)
  expect(await verifyPassword('', 'scrypt:')).toBe(false)
  expect(isScryptHash(scryptHash('a'))).toBe(true)
  expect(isScryptHash('scrypt:AAAA')).toBe(false)
})
