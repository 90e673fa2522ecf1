import type { English } from '../../ui/text/text.ts'

const zh = {
  heading: '第三方登录',
  working: '正在处理 {party} 的授权…',
  signedIn: '登录成功！',
  bound: '绑定成功！',
  failed: '操作失败，重定向至登录界面中...',
  retry: '重试',
  spent: '这次授权已经提交过了，不会再次提交。',
  incomplete: '回调地址缺少授权信息，请重新登录。',
  unknown: '不认识的登录方式',
  goOn: '立即前往',
  again: '重新登录',
}

const en: English<typeof zh> = {
  heading: 'Signing in',
  working: 'Working on what {party} has sent…',
  signedIn: 'Logged in',
  bound: 'Bound',
  failed: 'That failed, you are taken back to the login…',
  retry: 'Try again',
  spent: 'This has been handed in already, and is not handed in twice.',
  incomplete: 'The address you came back with is incomplete. Begin again.',
  unknown: 'This way of signing in is not known',
  goOn: 'Go now',
  again: 'Log in again',
}

export const text = { zh, en }
