import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  heading: '重置密码',
  intro: '输入注册时使用的邮箱，我们会发送一封带有重置链接的邮件。',
  email: '邮箱',
  emailNeeded: '请输入邮箱地址',
  emailWrong: '邮箱地址格式不正确',
  submit: '发送重置邮件',
  sent: '重置邮件已发送，请查收邮件',
  login: '返回登录',
}

const en: English<typeof zh> = {
  heading: 'Reset password',
  intro: 'Enter the email address of your account. We will send you a reset link.',
  email: 'Email',
  emailNeeded: 'Enter an email address',
  emailWrong: 'Enter a valid email address',
  submit: 'Send reset email',
  sent: 'Reset email sent. Check your inbox.',
  login: 'Back to sign in',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
