import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  with: '使用 {name} 登录',
  withWechat: '使用微信登录',
  lastUsed: '上次使用',
  signedIn: '登录成功！',
  wechatTitle: '微信扫码登录',
  wechatHelp: '请使用微信扫码关注公众号，发送“验证码”获取验证码（三分钟内有效）。',
  wechatQrCode: '微信公众号二维码',
  wechatCode: '验证码',
  wechatCodeNeeded: '请输入验证码',
  wechatSubmit: '登录',
  telegramLoading: '正在加载 Telegram 登录…',
  telegramFailed: 'Telegram 登录组件加载失败，请检查网络',
}

const en: English<typeof zh> = {
  with: 'Continue with {name}',
  withWechat: 'Continue with WeChat',
  lastUsed: 'Last used',
  signedIn: 'Signed in',
  wechatTitle: 'Sign in with WeChat',
  wechatHelp:
    'Scan the QR code to follow the account, then request a code. Codes expire after three minutes.',
  wechatQrCode: 'QR code of the WeChat account',
  wechatCode: 'Code',
  wechatCodeNeeded: 'Enter the code',
  wechatSubmit: 'Sign in',
  telegramLoading: 'Loading Telegram…',
  telegramFailed: 'Telegram could not be loaded. Check your network.',
}

/** Texts of the buttons and dialogs of identity providers. They load after the sign-in form. */
export const providersText = { zh, en }
export const useProvidersText = () => useText(providersText)
