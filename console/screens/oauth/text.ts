import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  heading: '第三方登录',
  working: '正在处理 {provider} 的授权…',
  signedIn: '登录成功！',
  bound: '绑定成功！',
  failed: '操作失败，重定向至登录界面中...',
  retry: '重试',
  spent: '此授权已提交过，不会重复提交。',
  incomplete: '回调地址缺少授权信息，请重新登录。',
  unknown: '不支持的登录方式',
  goOn: '立即前往',
  again: '重新登录',
}

const en: English<typeof zh> = {
  heading: 'Signing in',
  working: 'Completing the sign-in with {provider}…',
  signedIn: 'Signed in',
  bound: 'Account bound',
  failed: 'Sign-in failed. You will be redirected shortly.',
  retry: 'Try again',
  spent: 'This authorization was already submitted and will not be submitted again.',
  incomplete: 'The callback URL is missing the authorization. Sign in again.',
  unknown: 'Unknown sign-in method',
  goOn: 'Continue',
  again: 'Sign in again',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
