import { expect, test } from 'bun:test'
import { EMPTY_VALUES, validate } from './form-schema.ts'

const GOOD = { ...EMPTY_VALUES, username: 'anna', password: 'secret-1', password2: 'secret-1' }

test('accepts names up to 12 characters and passwords of 8 to 20', () => {
  expect(validate(GOOD, false)).toEqual({})
  expect(validate({ ...GOOD, username: '用户名用户名用户名用户名' }, false)).toEqual({})
  const longest = 'x'.repeat(20)
  expect(validate({ ...GOOD, password: longest, password2: longest }, false)).toEqual({})
})

test.each([
  [{ username: '  ' }, { username: 'missing' }],
  [{ username: 'a'.repeat(13) }, { username: 'usernameLong' }],
  [{ username: 'an na' }, { username: 'usernameSpaces' }],
  [{ password: '', password2: '' }, { password: 'missing' }],
  [{ password: 'seven77', password2: 'seven77' }, { password: 'passwordShort' }],
  [{ password: 'x'.repeat(21), password2: 'x'.repeat(21) }, { password: 'passwordLong' }],
  [{ password2: 'other' }, { password2: 'passwordDiffers' }],
] as const)('rejects %o', (values, errors) => {
  expect(validate({ ...GOOD, ...values }, false)).toEqual(errors)
})

test('requires an email address and its code only when email verification is on', () => {
  expect(validate(GOOD, true)).toEqual({ email: 'emailNeeded', verificationCode: 'codeNeeded' })
  expect(validate({ ...GOOD, email: 'anna', verificationCode: '1' }, true)).toEqual({ email: 'emailWrong' })
  expect(validate({ ...GOOD, email: ' a@b.example ', verificationCode: '123456' }, true)).toEqual({})
})
