import { expect, test } from 'bun:test'
import { openSecrets } from './secrets.ts'

test('what was sealed with another key is not opened, and the reason names the key', () => {
  const sealed = openSecrets('the key of yesterday').seal('sk-vendor')
  expect(openSecrets('the key of yesterday').open(sealed)).toBe('sk-vendor')
  expect(() => openSecrets('the key of today').open(sealed)).toThrow('sealed with another SECRET_KEY')
})
