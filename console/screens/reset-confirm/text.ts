import type { English } from '../../ui/text/text.ts'

const zh = {
  heading: '设置新密码',
  email: '邮箱',
  intro: '确认后将为此账户生成一个新密码，并退出所有已登录的设备。',
  submit: '生成新密码',
  invalidTitle: '重置链接无效',
  invalidText: '链接不完整或已经用过，请重新申请。',
  again: '重新申请',
  doneTitle: '新密码已生成',
  doneText: '新密码只显示这一次，请复制后登录，并尽快修改。',
  password: '新密码',
  login: '前往登录',
  back: '返回登录',
}

const en: English<typeof zh> = {
  heading: 'New password',
  email: 'Email',
  intro: 'A new password is made for this account, and every device is signed out.',
  submit: 'Make a new password',
  invalidTitle: 'This link is not valid',
  invalidText: 'It is incomplete or was used before. Ask for a new one.',
  again: 'Ask again',
  doneTitle: 'Your new password',
  doneText: 'It is shown only this once. Copy it, log in, and change it soon.',
  password: 'New password',
  login: 'Go to log in',
  back: 'Back to log in',
}

export const text = { zh, en }
