import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '按密钥创建渠道',
  intro: '粘贴一个或多个供应商密钥，网关会识别供应商、读取账户可用的模型，并为每个密钥创建一个渠道。',
  keys: '密钥',
  keysHelp: '每行一个。密钥只会发送给识别出的或您选择的供应商。',
  provider: '供应商',
  chooseProvider: '选择供应商',
  models: '模型',
  noProvider: '无法从格式识别供应商，请选择',
  reading: '正在读取模型…',
  accountModels: '账户可用 {count} 个模型',
  defaultModels: '{count} 个默认模型，未验证密钥',
  rejected: '密钥未通过：{reason}',
  createAll: '创建渠道',
  create: '创建 {count} 个渠道',
  created: '已创建 {count} 个渠道',
  notCreated: '{name}：{reason}',
  otherForm: '需要填写地址或其他信息的供应商',
  newChannel: '创建渠道',
}

const en: English<typeof zh> = {
  title: 'Channels by key',
  intro:
    'Paste one or more provider keys. The gateway recognizes the provider, reads the models of the account and creates a channel for each key.',
  keys: 'Keys',
  keysHelp: 'One per line. A key is sent only to the provider that its form names or that you choose.',
  provider: 'Provider',
  chooseProvider: 'Choose a provider',
  models: 'Models',
  noProvider: 'Not known by its form: choose the provider',
  reading: 'Reading the models…',
  accountModels: '{count} models of the account',
  accountModels_one: '1 model of the account',
  defaultModels: '{count} default models, key not verified',
  defaultModels_one: '1 default model, key not verified',
  rejected: 'Not usable: {reason}',
  createAll: 'Create channels',
  create: 'Create {count} channels',
  create_one: 'Create 1 channel',
  created: '{count} channels created',
  created_one: '1 channel created',
  notCreated: '{name}: {reason}',
  otherForm: 'A provider that needs an address or more',
  newChannel: 'New channel',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
