import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  title: '验证身份',
  why: '此操作涉及账户安全，请先验证您的身份。验证后 10 分钟内在此浏览器中无需再次验证。',
  password: '当前密码',
  passwordNeeded: '请输入密码',
  code: '邮箱验证码',
  codeNeeded: '请输入验证码',
  sendCode: '获取验证码',
  codeSent: '验证码已发送至您绑定的邮箱',
  resendIn: '{count} 秒后重发',
  with: '通过 {name} 验证',
  wechat: '微信',
  confirm: '验证',
  signInAgain: '重新登录',
}

const en: English<typeof zh> = {
  title: 'Confirm it is you',
  why: 'This action affects the security of your account. You will not be asked again in this browser for 10 minutes.',
  password: 'Current password',
  passwordNeeded: 'Enter your password',
  code: 'Email code',
  codeNeeded: 'Enter the code',
  sendCode: 'Send code',
  codeSent: 'Code sent to the email address of your account',
  resendIn: 'Resend in {count} s',
  with: 'Confirm with {name}',
  wechat: 'WeChat',
  confirm: 'Confirm',
  signInAgain: 'Sign in again',
}

export const reauthenticationText = { zh, en }
export const useReauthenticationText = () => useText(reauthenticationText)
