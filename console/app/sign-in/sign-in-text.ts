import type { English } from '../../ui/text.ts'

const zh = {
  themeSwitch: '切换深色或浅色',
  languageSwitch: 'Switch to English',
  languageShort: 'EN',
  humanCheck: '人机验证',
  checkRunning: '请稍后几秒重试，Turnstile 正在检查用户环境！',
  or: '或',
  with: '使用 {name} 登录',
  lastUsed: '上次使用',
  wechat: '微信',
  telegram: 'Telegram',
  signedIn: '登录成功！',
  wechatTitle: '微信扫码登录',
  wechatHelp: '微信扫码关注公众号，输入「验证码」获取验证码（三分钟内有效）',
  wechatPicture: '微信公众号二维码',
  wechatCode: '验证码',
  wechatCodeNeeded: '请输入验证码',
  wechatSubmit: '登录',
  telegramLoading: '正在加载 Telegram 登录…',
  telegramFailed: 'Telegram 登录组件加载失败，请检查网络',
  resend: '{count} 秒后可重发',
}

const en: English<typeof zh> = {
  themeSwitch: 'Switch between dark and light',
  languageSwitch: '切换到中文',
  languageShort: '中',
  humanCheck: 'Human check',
  checkRunning: 'Try again in a few seconds; the human check is still running',
  or: 'or',
  with: 'Continue with {name}',
  lastUsed: 'last used',
  wechat: 'WeChat',
  telegram: 'Telegram',
  signedIn: 'Logged in',
  wechatTitle: 'Sign in with WeChat',
  wechatHelp:
    'Scan the code to follow the account and send it 验证码. It answers with a code, valid for three minutes.',
  wechatPicture: 'QR code of the WeChat account',
  wechatCode: 'Code',
  wechatCodeNeeded: 'Enter the code',
  wechatSubmit: 'Sign in',
  telegramLoading: 'Loading Telegram…',
  telegramFailed: 'Telegram could not be loaded, check the network',
  resend: 'again in {count} s',
}

export const signInText = { zh, en }
