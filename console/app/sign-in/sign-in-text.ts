import type { English } from '../../ui/text.ts'

const zh = {
  themeSwitch: '切换深色或浅色',
  languageSwitch: 'Switch to English',
  languageShort: 'EN',
  humanCheck: '人机验证',
  checkRunning: '请稍后几秒重试，Turnstile 正在检查用户环境！',
  resend: '{count} 秒后可重发',
}

const en: English<typeof zh> = {
  themeSwitch: 'Switch between dark and light',
  languageSwitch: '切换到中文',
  languageShort: '中',
  humanCheck: 'Human check',
  checkRunning: 'Try again in a few seconds; the human check is still running',
  resend: 'again in {count} s',
}

export const signInText = { zh, en }
