import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  mailTo: '测试邮件收件人',
  mailHelp: '用已保存的设置发送一封测试邮件。',
  mailAfterSaving: '请先保存上面的修改',
  sendMail: '发送测试邮件',
  mailSent: '测试邮件已发送至 {email}',
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
  mailTo: 'Send a test email to',
  mailHelp: 'Uses the saved settings.',
  mailAfterSaving: 'Save the changes above first',
  sendMail: 'Send test email',
  mailSent: 'Test email sent to {email}',
  homepage: 'Homepage URL',
  callback: 'Callback URL',
  copyAddress: 'Copy {name}',
  needsServer: 'Set the server address first',
  needsGithub: 'Set the GitHub client ID and secret first',
  needsLinuxdo: 'Set the LINUX DO client ID and secret first',
  needsWechat: 'Set the WeChat Server address first',
  needsTelegram: 'Set the Telegram bot token first',
  needsTurnstile: 'Set the Turnstile site key and secret key first',
}

export const systemText = { zh, en }
export const useSystemText = () => useText(systemText)
