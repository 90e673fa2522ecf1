import { apiErrors } from '#server/core/api-error.ts'

export const oauthError = apiErrors('oauth', {
  off: { zh: '管理员未启用通过 {provider} 登录和注册', en: '{provider} sign-in is turned off' },
  registration_off: { zh: '管理员关闭了新用户注册', en: 'sign-up is turned off' },
  deregistered: { zh: '用户已注销', en: 'the user was deleted' },
  banned: { zh: '用户已被封禁', en: 'the account is banned' },
  taken: {
    zh: '该 {provider} 账户已被绑定',
    en: 'this {provider} account is already linked to another user',
  },
  unbound: {
    zh: '该 {provider} 账户未绑定',
    en: 'this {provider} account is not linked to a user; sign in another way and link it first',
  },
  last_way: {
    zh: '这是唯一的登录方式，请先设置密码或绑定其他账户',
    en: 'this is the only way to sign in; set a password or link another account first',
  },
  not_bound: { zh: '尚未绑定', en: 'no account is linked' },
})

const FORBIDDEN = 403

export const oauthStateError = apiErrors(
  'oauth',
  {
    wrong_state: {
      zh: '登录请求与当前会话不符或已过期，请重试',
      en: 'the sign-in did not start in this session or has expired; try again',
    },
  },
  FORBIDDEN,
)
