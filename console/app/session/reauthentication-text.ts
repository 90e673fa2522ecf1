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
  factorTitle: '两步验证',
  factorWhy: '请使用验证器的验证码、恢复代码或通行密钥完成登录。',
  factorSubmit: '登录',
  factorCode: '验证码',
  factorOrRecovery: '验证码或恢复代码',
  factorHelp: '验证器应用当前显示的 6 位数字。',
  recoveryHelp: '验证器应用当前显示的 6 位数字，或您的一个恢复代码。',
  passkey: '使用通行密钥',
  passkeyFailed: '未使用通行密钥：操作已取消、已超时，或此设备没有该账户的通行密钥',
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
  factorTitle: 'Second factor',
  factorWhy: 'Complete the sign-in with the code of your authenticator app, a recovery code or a passkey.',
  factorSubmit: 'Sign in',
  factorCode: 'Code',
  factorOrRecovery: 'Code or recovery code',
  factorHelp: 'The six digits that your authenticator app shows now.',
  recoveryHelp: 'The six digits that your authenticator app shows now, or one of your recovery codes.',
  passkey: 'Use a passkey',
  passkeyFailed:
    'No passkey was used: it was cancelled, took too long, or this device has none of this account',
}

export const reauthenticationText = { zh, en }
export const useReauthenticationText = () => useText(reauthenticationText)
