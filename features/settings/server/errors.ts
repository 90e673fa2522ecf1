import { apiErrors } from '#server/core/api-error.ts'

export const optionError = apiErrors('option', {
  unknown: { zh: '没有名为 {key} 的设置项', en: 'there is no option named {key}' },
  github: {
    zh: '无法启用 GitHub 登录，请先填写 GitHub Client ID 和 Client Secret',
    en: 'GitHub sign-in needs its client ID and client secret first',
  },
  linuxdo: {
    zh: '无法启用 LINUX DO 登录，请先填写 LINUX DO Client ID 和 Client Secret',
    en: 'LINUX DO sign-in needs its client ID and client secret first',
  },
  mail_server: {
    zh: '无法启用邮箱验证，请先填写 SMTP 服务器地址，否则无人能注册',
    en: 'confirmed addresses need an SMTP server first, or nobody could sign up',
  },
  mail_domains: {
    zh: '无法启用邮箱域名白名单，请先填写允许的邮箱域名',
    en: 'the email domain restriction needs allowed domains first',
  },
  wechat: {
    zh: '无法启用微信登录，请先填写 WeChat Server 服务器地址',
    en: 'WeChat sign-in needs its server address first',
  },
  turnstile: {
    zh: '无法启用人机验证，请先填写 Turnstile Site Key 和 Secret Key',
    en: 'the CAPTCHA needs its site key and secret key first',
  },
  telegram: {
    zh: '无法启用 Telegram 登录，请先填写 Telegram Bot Token',
    en: 'Telegram sign-in needs its bot token first',
  },
  server_address: { zh: '请先填写服务器地址', en: 'set the server address first' },
  secret_needed: {
    zh: '{secret} 是为原地址 {former} 填写的，修改地址时请重新填写',
    en: '{secret} was entered for {former}: enter it again to change the address',
  },
})
