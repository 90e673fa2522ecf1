import { expect, test } from 'bun:test'
import { translatorOf } from '#console/ui/text/text.ts'
import type { User } from '#contract/entities/user.ts'
import {
  findAmountProblem,
  NEW_USER,
  toFormValues,
  toUserChange,
  type UserFormValues,
  userFormSchema,
} from './form-schema.ts'
import { text } from './text.ts'

const t = translatorOf(text)

const user: User = {
  id: 7,
  username: 'anna',
  password: '',
  display_name: 'Anna',
  role: 1,
  status: 1,
  email: '',
  kind: 'person',
  github_id: '',
  linux_do_id: '',
  wechat_id: '',
  telegram_id: '',
  access_token: null,
  quota: 700,
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_code: '',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  DeletedAt: null,
  setting: '',
  must_change_password: false,
}

const problems = (isNew: boolean, change: Partial<UserFormValues>, initialQuota = '700') => {
  const values = { ...(isNew ? NEW_USER : toFormValues(user)), ...change }
  const { error } = userFormSchema(t, { isNew, initialQuota }).safeParse(values)
  return (error?.issues ?? []).map(({ path, message }) => `${path}: ${message}`)
}

test('requires a username and a password for a new user only', () => {
  expect(problems(true, { quota: '700' })).toEqual([
    'username: 请输入用户名和密码',
    'password: 请输入用户名和密码',
  ])
  expect(problems(false, {})).toEqual([])
})

test('rejects passwords outside 8 to 20 characters and usernames over 12 characters or with spaces', () => {
  expect(problems(false, { password: 'short' })).toEqual(['password: 密码不能少于 8 个字符'])
  expect(problems(false, { password: 'x'.repeat(21) })).toEqual(['password: 密码不能超过 20 个字符'])
  expect(problems(false, { username: 'x'.repeat(13) })).toEqual(['username: 用户名不能超过 12 个字符'])
  expect(problems(false, { username: 'a b' })).toEqual(['username: 用户名不能包含空格'])
})

test('accepts whole balances from 0 and an unchanged negative balance', () => {
  expect(problems(false, { quota: '-1' })).toEqual(['quota: 额度必须是不小于 0 的整数'])
  expect(problems(false, { quota: '1.5' })).toEqual(['quota: 额度必须是不小于 0 的整数'])
  expect(problems(false, { quota: '-3' }, '-3')).toEqual([])
})

test('sends the balance only when it changed, together with the initial one', () => {
  expect(toUserChange(user, toFormValues(user))).toEqual({
    id: 7,
    username: 'anna',
    display_name: 'Anna',
    group: 'default',
  })
  const change = toUserChange(user, {
    ...toFormValues(user),
    quota: '900',
    reason: ' invoice ',
    password: 'a new password',
  })
  expect(change).toMatchObject({ quota: 900, quota_seen: 700, reason: 'invoice', password: 'a new password' })
})

test('accepts a negative amount unless the balance would fall below 0', () => {
  expect(findAmountProblem('-700', 700)).toBeUndefined()
  expect(findAmountProblem('5', -700)).toBe('quotaTooLow')
  expect(findAmountProblem('-701', 700)).toBe('quotaTooLow')
  for (const typed of ['', '0', '1.5', 'all']) expect(findAmountProblem(typed, 700)).toBe('quotaAmountBad')
})
