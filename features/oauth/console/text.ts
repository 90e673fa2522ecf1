import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  heading: '第三方登录',
  working: '正在处理 {provider} 的授权…',
  bindQuestion:
    '将 {provider} 账户 {account} 绑定到您的账户 {username}？绑定后可通过它登录您的账户，请仅在您本人发起绑定时继续。',
  bind: '绑定',
  cancel: '取消',
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
  bindQuestion:
    'Link the {provider} account {account} to your account {username}? It can then sign in to your account, so continue only if you started this yourself.',
  bind: 'Link',
  cancel: 'Cancel',
  signedIn: 'Signed in',
  bound: 'Account linked',
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
