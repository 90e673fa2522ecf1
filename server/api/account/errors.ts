import { apiErrors } from '../../core/api-error.ts'

export const accountError = apiErrors('account', {
  registration_off: { zh: '管理员关闭了新用户注册', en: 'registration is disabled' },
  password_registration_off: {
    zh: '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
    en: 'registration with a password is disabled: sign in with another account',
  },
  email_unverified: {
    zh: '管理员开启了邮箱验证，请提供通过验证的邮箱地址',
    en: 'registration requires a verified email address',
  },
  wrong_code: { zh: '验证码错误或已过期', en: 'the code is wrong or has expired' },
  name_taken: { zh: '用户名已存在或已注销', en: 'the user name is taken' },
  no_target: {
    zh: '请先设置通知邮箱或绑定邮箱',
    en: 'there is no email address to notify: set one for notifications or bind one',
  },
  too_little: {
    zh: '转移额度最小为 {least}',
    en: 'transfer at least {least} units',
  },
})
