import type { English } from '../../../ui/text.ts'

const zh = {
  paymentHelp: '当前仅支持易支付接口；请先填写服务器地址',
  signInHelp: '关闭新用户注册后，任何方式都无法注册',
  emailRulesHelp: '用以防止恶意用户利用临时邮箱批量注册',
  smtpHelp: '用以支持系统的邮件发送',
  githubHelp: '用以支持通过 GitHub 进行登录注册',
  linuxdoHelp: '用以支持通过 LINUX DO 进行登录注册',
  wechatHelp: '用以支持通过微信进行登录注册',
  telegramHelp: '用以支持通过 Telegram 进行登录',
  turnstileHelp: '用以支持用户校验',
  workerHelp: '用来转发图片下载和 Webhook 通知',
  homepage: '主页地址',
  callback: '回调地址',
  copyAddress: '复制{name}',
  needsServer: '请先填写服务器地址',
  needsGithub: '请先填写 GitHub Client ID 和 Client Secret',
  needsLinuxdo: '请先填写 LINUX DO Client ID 和 Client Secret',
  needsWechat: '请先填写 WeChat Server 服务器地址',
  needsTelegram: '请先填写 Telegram Bot Token',
  needsTurnstile: '请先填写 Turnstile Site Key 和 Secret Key',
}

const en: English<typeof zh> = {
  paymentHelp: 'EasyPay providers only; fill in the server address first',
  signInHelp: 'With new users turned off, nobody signs up in any way',
  emailRulesHelp: 'Against throw-away addresses',
  smtpHelp: 'How mails are sent',
  githubHelp: 'To sign in and up with GitHub',
  linuxdoHelp: 'To sign in and up with LINUX DO',
  wechatHelp: 'To sign in and up with WeChat',
  telegramHelp: 'To sign in with Telegram',
  turnstileHelp: 'To tell people from programs',
  workerHelp: 'Picture downloads and webhooks go through it',
  homepage: 'Homepage URL',
  callback: 'Callback URL',
  copyAddress: 'Copy {name}',
  needsServer: 'Fill in the server address first',
  needsGithub: 'Fill in the GitHub client id and secret first',
  needsLinuxdo: 'Fill in the LINUX DO client id and secret first',
  needsWechat: 'Fill in the WeChat server address first',
  needsTelegram: 'Fill in the Telegram bot token first',
  needsTurnstile: 'Fill in the Turnstile site key and secret key first',
}

export const systemText = { zh, en }
