import { apiErrors } from '#server/core/api-error.ts'

export const reauthenticationError = apiErrors('reauthentication', {
  no_session: {
    zh: '访问令牌无法验证身份，请使用密码登录后再操作',
    en: 'an access token cannot reauthenticate; sign in with your password and try again',
  },
  nothing_given: { zh: '请输入密码或验证码', en: 'enter your password or the code' },
  wrong_password: { zh: '密码错误', en: 'the password is wrong' },
  wrong_code: { zh: '验证码错误或已过期', en: 'the code is wrong or has expired' },
  no_code: {
    zh: '此账户无法通过邮箱验证码验证身份',
    en: 'this account cannot reauthenticate with an emailed code',
  },
})
