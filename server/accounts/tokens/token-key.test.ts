import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import { randomTokenKey } from './token-key.ts'

/** As documented for secret scanners. */
const PATTERN = /^tlgt[0-9A-Za-z]{44}$/
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const hasChecksum = (key: string): boolean =>
  [...key.slice(-6)].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0) === crc32(key.slice(0, -6))

test('keys have the form that scanners recognise, with a checksum that rejects other texts', () => {
  const keys = Array.from({ length: 500 }, randomTokenKey)
  expect(new Set(keys).size).toBe(500)
  for (const key of keys) {
    expect(key).toMatch(PATTERN)
    expect(hasChecksum(key)).toBe(true)
    expect(hasChecksum(`${key.slice(0, 10)}${key[10] === 'x' ? 'y' : 'x'}${key.slice(11)}`)).toBe(false)
  }
})
