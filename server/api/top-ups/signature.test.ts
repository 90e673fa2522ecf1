import { expect, test } from 'bun:test'
import { isSignedRight, signatureOf } from './signature.ts'

test('signs as the protocol has it', () => {
  expect(signatureOf({ money: 'moneyv', device: 'devicev' }, '1234567')).toBe(
    '3854cc9f022e0fb821bd2e002260245d',
  )
})

test('empty fields, the signature and its type are not signed', () => {
  const fields = { device: 'devicev', money: 'moneyv', empty: '', sign: 'x', sign_type: 'MD5' }
  expect(signatureOf(fields, '1234567')).toBe('3854cc9f022e0fb821bd2e002260245d')
})

test('any change of a field or the key makes a signature wrong', () => {
  const sign = '3854cc9f022e0fb821bd2e002260245d'
  const fields = { money: 'moneyv', device: 'devicev', sign }
  expect(isSignedRight(fields, '1234567')).toBe(true)
  expect(isSignedRight({ ...fields, money: 'more' }, '1234567')).toBe(false)
  expect(isSignedRight({ ...fields, added: 'x' }, '1234567')).toBe(false)
  expect(isSignedRight(fields, '1234568')).toBe(false)
  expect(isSignedRight({ ...fields, sign: '' }, '1234567')).toBe(false)
})
