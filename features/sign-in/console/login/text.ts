import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  heading: '登录 {system}',
  username: '用户名或邮箱',
  password: '密码',
  submit: '登录',
  missing: '请输入用户名和密码',
  done: '登录成功！',
  expired: '未登录或登录已过期，请重新登录',
  signedOut: '您已退出登录，请重新登录',
  noAccount: '还没有账户？',
  register: '立即注册',
  forgot: '忘记密码？',
  passwordOff: '管理员已关闭密码登录，仅超级管理员可用密码登录。',
  openPassword: '使用密码登录',
  capsLock: '大写锁定已打开',
}

const en: English<typeof zh> = {
  heading: 'Sign in to {system}',
  username: 'Username or email',
  password: 'Password',
  submit: 'Sign in',
  missing: 'Enter your username and password',
  done: 'Signed in',
  expired: 'You are not signed in or your session has expired. Sign in again.',
  signedOut: 'You have been signed out. Sign in again.',
  noAccount: 'No account yet?',
  register: 'Sign up',
  forgot: 'Forgot password?',
  passwordOff: 'Password sign-in is turned off. Only super administrators can use it.',
  openPassword: 'Sign in with a password',
  capsLock: 'Caps Lock is on',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
