import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  themeSwitch: '切换深色或浅色',
  languageSwitch: 'Switch to English',
  languageShort: 'EN',
  humanCheck: '人机验证',
  checkRunning: '人机验证尚未完成，请几秒后重试',
  resend: '{count} 秒后重发',
  or: '或',
  statusFailed: '无法加载网关状态，部分登录方式可能没有显示',
}

const en: English<typeof zh> = {
  themeSwitch: 'Switch between dark and light',
  languageSwitch: '切换到中文',
  languageShort: '中',
  humanCheck: 'CAPTCHA',
  checkRunning: 'The CAPTCHA is still running. Try again in a few seconds.',
  resend: 'Resend in {count} s',
  or: 'or',
  statusFailed: 'Failed to load status. Some sign-in methods may be missing.',
}

/** Texts of the pages before sign-in. */
export const signInText = { zh, en }
export const useSignInText = () => useText(signInText)
