import { apiErrors } from '#server/core/api-error.ts'

const TOO_MANY_REQUESTS = 429

export const factorError = apiErrors('factor', {
  unknown: { zh: '该验证方式不存在', en: 'you have no such factor' },
  too_many: { zh: '最多可以添加 {max} 个验证方式', en: 'you can have {max} factors at most' },
  none_given: {
    zh: '请提供验证器的验证码、恢复代码或通行密钥',
    en: 'give the code of your authenticator app, a recovery code or a passkey',
  },
  wrong_code: {
    zh: '验证码错误或已过期，请输入验证器当前显示的验证码',
    en: 'the code is wrong or has expired; enter the one that your authenticator app shows now',
  },
  used_code: {
    zh: '该验证码已使用过，请等待下一个验证码',
    en: 'this code was used before; wait for the next one',
  },
  wrong_recovery: {
    zh: '恢复代码错误或已使用过',
    en: 'the recovery code is wrong or was used before',
  },
  not_started: {
    zh: '设置已过期，请重新扫描二维码',
    en: 'this took too long; begin again and scan the new code',
  },
  no_challenge: {
    zh: '通行密钥的验证请求已过期或已使用过，请重试',
    en: 'the challenge of the passkey has expired or was used before; try again',
  },
  unknown_passkey: {
    zh: '此通行密钥不属于任何账户，或不属于正在登录的账户',
    en: 'this passkey belongs to no account, or not to the one that signs in',
  },
  known_passkey: { zh: '此通行密钥已添加', en: 'this passkey was added before' },
  wrong_passkey: {
    zh: '通行密钥未通过验证：{reason}',
    en: 'the passkey was not accepted: {reason}',
  },
  cloned_passkey: {
    zh: '此通行密钥的使用次数没有增加，可能已被复制，请删除它并使用其他验证方式',
    en: 'the use count of this passkey did not rise, so it may have been copied; use another factor and remove it',
  },
  no_address: {
    zh: '使用通行密钥前，请联系管理员设置服务器地址（ServerAddress）',
    en: 'passkeys need the address of the server (ServerAddress); contact the administrator',
  },
  no_first_step: {
    zh: '请先使用密码登录，或使用通行密钥登录',
    en: 'sign in with your password first, or with a passkey',
  },
  banned: { zh: '用户已被封禁或注销', en: 'the account is banned or deleted' },
})

export const factorThrottleError = apiErrors(
  'factor',
  {
    too_often: {
      zh: '尝试次数过多，请在 {seconds} 秒后重试',
      en: 'too many attempts; try again in {seconds} s',
    },
  },
  TOO_MANY_REQUESTS,
)
