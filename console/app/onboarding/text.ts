import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  showSteps: '显示全部步骤',
  hideSteps: '不再显示',
  done: '已完成',

  operatorTitle: '上线前的准备（{done}/{count}）',
  channel: '创建渠道',
  channelText: '填写供应商账户的 API 地址和密钥。',
  test: '测试渠道',
  testText: '发送一个小请求，确认渠道可用。',
  price: '设置价格',
  priceText: '没有价格的模型无法调用：{models}',
  priceOk: '渠道中的模型都已有价格。',
  priceUnknown: '创建渠道后，在此检查其模型是否都有价格。',
  token: '创建令牌',
  tokenText: '程序用它访问接口。',
  call: '发出第一个请求',
  callText: '在“接入”中复制所用客户端的配置。',
  connect: '查看接入方式',
  address: '设置服务器地址',
  addressText: '用于邮件链接、第三方登录和支付回调。',
  retries: '开启失败重试',
  retriesText: '一个渠道失败后，请求会改用下一个渠道，建议设为 2 次。',
  email: '配置邮件',
  emailText: '用于找回密码、邮箱验证和渠道告警。',
}

const en: English<typeof zh> = {
  showSteps: 'Show all steps',
  hideSteps: "Don't show again",
  done: 'Done',

  operatorTitle: 'Set up the gateway ({done} of {count})',
  channel: 'Create a channel',
  channelText: 'Enter the base URL and the key of a provider account.',
  test: 'Test the channel',
  testText: 'Send a small request to check that it works.',
  price: 'Set prices',
  priceText: 'Models without a price cannot be called: {models}',
  priceOk: 'Every model of your channels has a price.',
  priceUnknown: 'After you create a channel, check here that its models have prices.',
  token: 'Create a token',
  tokenText: 'Your programs authenticate with it.',
  call: 'Send the first request',
  callText: 'Copy the configuration for your client from Connect.',
  connect: 'Open Connect',
  address: 'Set the server address',
  addressText: 'Used in email links, sign-in callbacks and payment callbacks.',
  retries: 'Turn on retries',
  retriesText: 'A request moves on to the next channel when one fails. Two retries are a good start.',
  email: 'Set up email',
  emailText: 'Used for password resets, email verification and channel alerts.',
}

export const text = { zh, en }
export const useOnboardingText = () => useText(text)
