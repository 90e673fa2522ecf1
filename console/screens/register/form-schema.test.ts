import { expect, test } from 'bun:test'
import { NO_ENTRIES, problemsIn } from './form-schema.ts'

const GOOD = { ...NO_ENTRIES, username: 'anna', password: 'secret-1', repeat: 'secret-1' }

test('takes a name of twelve and a password of eight to twenty characters', () => {
  expect(problemsIn(GOOD, false)).toEqual({})
  expect(problemsIn({ ...GOOD, username: '用户名用户名用户名用户名' }, false)).toEqual({})
  const longest = 'x'.repeat(20)
  expect(problemsIn({ ...GOOD, password: longest, repeat: longest }, false)).toEqual({})
})

test.each([
  [{ username: '  ' }, { username: 'missing' }],
  [{ username: 'a'.repeat(13) }, { username: 'usernameLong' }],
  [{ username: 'an na' }, { username: 'usernameSpaces' }],
  [{ password: '', repeat: '' }, { password: 'missing' }],
  [{ password: 'seven77', repeat: 'seven77' }, { password: 'passwordShort' }],
  [{ password: 'x'.repeat(21), repeat: 'x'.repeat(21) }, { password: 'passwordLong' }],
  [{ repeat: 'other' }, { repeat: 'passwordDiffers' }],
] as const)('says what is wrong with %o', (entries, problems) => {
  expect(problemsIn({ ...GOOD, ...entries }, false)).toEqual(problems)
})

test('asks for a mail address and its code only where they are needed', () => {
  expect(problemsIn(GOOD, true)).toEqual({ email: 'emailNeeded', code: 'codeNeeded' })
  expect(problemsIn({ ...GOOD, email: 'anna', code: '1' }, true)).toEqual({ email: 'emailWrong' })
  expect(problemsIn({ ...GOOD, email: ' a@b.example ', code: '123456' }, true)).toEqual({})
})
