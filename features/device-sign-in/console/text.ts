import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  heading: '程序登录',
  intro: '请输入程序中显示的代码。',
  code: '代码',
  codeInvalid: '代码由 8 个字母组成',
  next: '继续',
  question: '允许此程序登录您的账户 {username}？',
  compare: '请确认代码与程序中显示的一致。仅在您本人发起登录时允许，不要确认他人发来的链接或代码。',
  address: '来源地址',
  requestedAt: '请求时间',
  allowed: '允许的操作',
  allowedText: '使用您的余额调用模型。程序不能登录控制台或修改账户。可随时在令牌页面禁用。',
  name: '令牌名称',
  group: '分组',
  ownGroup: '用户分组',
  approve: '允许登录',
  deny: '拒绝',
  approved: '已允许登录，请返回程序继续。',
  denied: '已拒绝登录。',
  tokens: '管理令牌',
}

const en: English<typeof zh> = {
  heading: 'Program sign-in',
  intro: 'Enter the code that the program shows.',
  code: 'Code',
  codeInvalid: 'A code has 8 letters',
  next: 'Continue',
  question: 'Let this program sign in to your account {username}?',
  compare:
    'Check that the program shows the same code. Allow it only if you have started the sign-in yourself, never from a link or code that somebody sent you.',
  address: 'From address',
  requestedAt: 'Requested at',
  allowed: 'It may',
  allowedText:
    'Call models at the expense of your balance. It cannot use the console or change your account. You can stop it on the Tokens page at any time.',
  name: 'Name of the token',
  group: 'Group',
  ownGroup: 'Your group',
  approve: 'Allow',
  deny: 'Deny',
  approved: 'The program may sign in. Return to it to continue.',
  denied: 'The sign-in was denied.',
  tokens: 'Manage tokens',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
