import { apiErrors } from '#server/core/api-error.ts'

export const verificationError = apiErrors('verification', {
  domain: {
    zh: '管理员启用了邮箱域名白名单，您的邮箱地址的域名不在白名单中',
    en: 'email addresses of this domain are not accepted',
  },
  alias: {
    zh: '管理员启用了邮箱别名限制，您的邮箱地址中 @ 之前不能包含 + 或 .',
    en: 'email addresses with a plus sign or a dot before the @ are not accepted',
  },
  no_server_address: {
    zh: '管理员未设置服务器地址，无法发送重置链接',
    en: 'the server address is not set, so the reset link cannot be sent',
  },
  wrong_link: { zh: '重置链接无效或已过期', en: 'the reset link is not valid or has expired' },
  wrong_code: { zh: '验证码错误或已过期', en: 'the code is wrong or has expired' },
  taken: { zh: '邮箱地址已被占用', en: 'the email address is already in use' },
})
