import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '接入',
  intro: '选择客户端，复制配置即可使用。配置中已填入您的地址、令牌和模型。',
  client: '客户端',
  languages: '编程语言',
  token: '令牌',
  model: '模型',
  address: '接口地址',
  copyAddress: '复制接口地址',
  noTokens: '还没有可用的令牌',
  noTokensText: '程序用令牌访问接口，请先创建一个令牌。',
  createToken: '创建令牌',
  noModels: '该令牌没有可用的模型',
  noModelsText: '当前没有渠道为该令牌的分组提供模型，请联系管理员，或选择其他令牌。',
  kindHint: '此模型不是对话模型，编程工具和聊天客户端无法使用，请在“编程语言”中查看调用示例。',
  install: '安装',
  environment: '设置环境变量',
  environmentHelp: '在启动客户端的终端中执行，或写入配置文件以长期生效。',
  file: '写入配置文件',
  fileHelp: '如果文件已存在，请将内容合并进去。',
  run: '启动',
  settings: '在设置中填写',
  signIn: '登录',
  signInHelp:
    '写入网关地址并启动 Claude Code，然后在打开的页面中确认登录。Claude Code 只登录内网中使用 HTTPS 的网关。',
  example: '发出第一个请求',
  exampleHelp: '使用任意 OpenAI 兼容的 SDK 均可，只需设置接口地址和令牌。',
  copyField: '复制 {label}',
  documentation: '{name} 官方文档',
  privacy: '页面上的令牌已隐藏，复制的内容包含完整令牌，请勿公开。',
  waiting: '正在等待该令牌的第一个请求…',
  received: '已收到该令牌的请求，接入成功',
}

const en: English<typeof zh> = {
  title: 'Connect',
  intro: 'Choose a client and copy its configuration. Your base URL, token and model are filled in.',
  client: 'Client',
  languages: 'Languages',
  token: 'Token',
  model: 'Model',
  address: 'Base URL',
  copyAddress: 'Copy base URL',
  noTokens: 'No usable tokens yet',
  noTokensText: 'Your programs authenticate with a token. Create one first.',
  createToken: 'Create a token',
  noModels: 'No models for this token',
  noModelsText:
    'No channel serves models to the group of this token. Contact the administrator or choose another token.',
  kindHint:
    'This is not a chat model, so coding agents and chat apps cannot use it. See Languages for an example call.',
  install: 'Install',
  environment: 'Set environment variables',
  environmentHelp:
    'Run this in the terminal that starts the client, or add it to its configuration file to keep it.',
  file: 'Write the configuration file',
  fileHelp: 'If the file exists, merge this content into it.',
  run: 'Start',
  settings: 'Enter in the settings',
  signIn: 'Sign in',
  signInHelp:
    'Stores the address of this gateway and starts Claude Code. Confirm the sign-in on the page that opens. Claude Code signs in only to gateways on a private network that use HTTPS.',
  example: 'Send the first request',
  exampleHelp: 'Any OpenAI-compatible SDK works: set its base URL, and your token as its API key.',
  copyField: 'Copy {label}',
  documentation: '{name} documentation',
  privacy: 'The token is hidden on the page. What you copy contains it in full, so keep it private.',
  waiting: 'Waiting for the first request with this token…',
  received: 'A request with this token has arrived. You are connected.',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
