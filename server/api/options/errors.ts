import { apiErrors } from '../../core/api-error.ts'

export const optionError = apiErrors('option', {
  unknown: { zh: '没有名为 {key} 的设置项', en: 'there is no option named {key}' },
  github: {
    zh: '无法启用 GitHub OAuth，请先填入 GitHub Client Id 以及 GitHub Client Secret！',
    en: 'GitHub sign-in needs its client ID and client secret first',
  },
  linuxdo: {
    zh: '无法启用 LinuxDO OAuth，请先填入 LinuxDO Client Id 以及 LinuxDO Client Secret！',
    en: 'Linux DO sign-in needs its client ID and client secret first',
  },
  mail_domains: {
    zh: '无法启用邮箱域名限制，请先填入限制的邮箱域名！',
    en: 'the domain restriction needs domains first',
  },
  wechat: {
    zh: '无法启用微信登录，请先填入微信登录相关配置信息！',
    en: 'WeChat sign-in needs its server address first',
  },
  turnstile: {
    zh: '无法启用 Turnstile 校验，请先填入 Turnstile 校验相关配置信息！',
    en: 'the human check needs its site key and secret key first',
  },
  telegram: {
    zh: '无法启用 Telegram OAuth，请先填入 Telegram Bot Token！',
    en: 'Telegram sign-in needs its bot token first',
  },
  server_address: { zh: '请先填写服务器地址', en: 'fill in the server address first' },
})
