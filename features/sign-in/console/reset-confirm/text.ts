import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  heading: '设置新密码',
  email: '邮箱',
  intro: '确认后将为此账户生成一个新密码，并退出所有已登录的设备。',
  submit: '生成新密码',
  invalidTitle: '重置链接无效',
  invalidText: '链接不完整或已被使用，请重新申请。',
  again: '重新申请',
  doneTitle: '新密码已生成',
  doneText: '新密码仅显示一次，请复制后登录，尽快修改密码并检查令牌。',
  password: '新密码',
  login: '前往登录',
  back: '返回登录',
}

const en: English<typeof zh> = {
  heading: 'New password',
  email: 'Email',
  intro: 'This generates a new password for the account and signs out every device.',
  submit: 'Generate a new password',
  invalidTitle: 'This link is not valid',
  invalidText: 'The link is incomplete or was already used. Request a new one.',
  again: 'Request a new link',
  doneTitle: 'Your new password',
  doneText: 'It is shown only once. Copy it, sign in, change it soon and review your tokens.',
  password: 'New password',
  login: 'Go to sign in',
  back: 'Back to sign in',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
