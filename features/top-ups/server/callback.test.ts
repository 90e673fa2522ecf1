import { expect, test } from 'bun:test'
import { isSignatureValid, signFields } from './callback.ts'

test('signs as the easy-pay protocol defines', () => {
  expect(signFields({ money: 'moneyv', device: 'devicev' }, '1234567')).toBe(
    '3854cc9f022e0fb821bd2e002260245d',
  )
})

test('excludes empty fields, the signature and its type', () => {
  const fields = { device: 'devicev', money: 'moneyv', empty: '', sign: 'x', sign_type: 'MD5' }
  expect(signFields(fields, '1234567')).toBe('3854cc9f022e0fb821bd2e002260245d')
})

test('rejects a signature after any change of a field or the key', () => {
  const sign = '3854cc9f022e0fb821bd2e002260245d'
  const fields = { money: 'moneyv', device: 'devicev', sign }
  expect(isSignatureValid(fields, '1234567')).toBe(true)
  expect(isSignatureValid({ ...fields, money: 'more' }, '1234567')).toBe(false)
  expect(isSignatureValid({ ...fields, added: 'x' }, '1234567')).toBe(false)
  expect(isSignatureValid(fields, '1234568')).toBe(false)
  expect(isSignatureValid({ ...fields, sign: '' }, '1234567')).toBe(false)
})
