import { apiErrors } from '#server/core/api-error.ts'

export const accountError = apiErrors('account', {
  registration_off: { zh: '管理员关闭了新用户注册', en: 'sign-up is turned off' },
  password_registration_off: {
    zh: '管理员关闭了密码注册，请使用第三方账户注册',
    en: 'sign-up with a password is turned off; sign up with a third-party account',
  },
  email_unverified: {
    zh: '管理员启用了邮箱验证，请提供已验证的邮箱地址',
    en: 'sign-up requires a verified email address',
  },
  wrong_code: { zh: '验证码错误或已过期', en: 'the code is wrong or has expired' },
  name_taken: { zh: '用户名已存在或已注销', en: 'the username is taken' },
  no_target: {
    zh: '请先设置通知邮箱或绑定邮箱',
    en: 'there is no email address to notify; set one for notifications or link one',
  },
  too_little: {
    zh: '划转金额不能小于 {least}',
    en: 'transfer at least {least}',
  },
})
