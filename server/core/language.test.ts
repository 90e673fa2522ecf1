import { expect, test } from 'bun:test'
import { GatewayError } from './errors.ts'
import { inLanguage, preferredLanguage, readStoredText, sameInBoth, toStoredText } from './language.ts'

test.each([
  [null, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['fr-FR,fr;q=0.9', 'en'],
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
  ['ZH', 'zh'],
  ['zh-Hant-TW', 'zh'],
  ['en-US,en;q=0.9,zh-CN;q=0.8', 'en'],
  ['en;q=0.4, zh;q=0.5', 'zh'],
  ['fr, zh;q=0.3', 'zh'],
  ['zh;q=0', 'en'],
  [`${'x'.repeat(100_000)},zh`, 'en'],
] as const)('prefers by %p the language %p', (header, language) => {
  expect(preferredLanguage(header, 'en')).toBe(language)
})

test('shows an error in the reader’s language and logs it in English', () => {
  const error = new GatewayError('storage_failed', { zh: '存储失败', en: 'the storage failed' })
  expect(error.message).toBe('the storage failed')
  expect(inLanguage(error, 'en').message).toBe('the storage failed')
  expect(inLanguage(error, 'zh')).toMatchObject({ message: '存储失败', code: 'storage_failed', status: 503 })
})

test('keeps a provider’s own message in both languages', () => {
  expect(inLanguage({ message: 'quota exceeded' }, 'zh').message).toBe('quota exceeded')
})

test('reads a stored text in either language, even when it was cut off or had one language only', () => {
  const stored = toStoredText({ zh: '测试耗时过长', en: 'the test took too long' })
  expect([readStoredText(stored, 'zh'), readStoredText(stored, 'en')]).toEqual([
    '测试耗时过长',
    'the test took too long',
  ])
  expect(readStoredText(stored.slice(0, 8), 'zh')).toBe('the test')
  expect(toStoredText(sameInBoth('provider said no'))).toBe('provider said no')
  expect(readStoredText('管理员修改', 'en')).toBe('管理员修改')
})

test('stores a provider’s text so that it reads the same in both languages', () => {
  const stored = toStoredText(sameInBoth('fine\u001eforged'))
  expect(readStoredText(stored, 'zh')).toBe(readStoredText(stored, 'en'))
})
