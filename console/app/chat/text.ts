import { type English, useText } from '../../ui/text/text.ts'

const zh = {
  noToken: '当前没有可用的启用令牌，请确认是否有令牌处于启用状态！',
  badLink: '聊天链接配置错误，请联系管理员',
  noLink: '请联系管理员配置聊天链接',
  guest: '请先登录',
  guestText: '登录后才能用您的令牌打开聊天。',
  login: '登录',
  toTokens: '查看令牌',
  consentTitle: '要将密钥提供给 {host} 吗？',
  consentText:
    '打开此聊天页面需要把令牌“{token}”的密钥交给 {host}。请只在信任对方时继续，此浏览器会记住您的选择。',
  consent: '同意并打开',
  refuse: '返回',
  loading: '正在打开聊天…',
  external: '在应用中打开 {name}',
  frame: '聊天：{name}',
  slow: '聊天页面加载较慢',
  newWindow: '在新窗口打开',
}

const en: English<typeof zh> = {
  noToken: 'You have no enabled token. Enable one of your tokens first.',
  badLink: 'The chat link is not valid. Contact the administrator.',
  noLink: 'Contact the administrator to set up a chat link',
  guest: 'Sign in first',
  guestText: 'Chats open with one of your tokens.',
  login: 'Sign in',
  toTokens: 'View tokens',
  consentTitle: 'Share the key with {host}?',
  consentText:
    'Opening this chat page sends the key of your token "{token}" to {host}. Continue only if you trust that site. This browser remembers your choice.',
  consent: 'Agree and open',
  refuse: 'Go back',
  loading: 'Opening the chat…',
  external: 'Open {name} in its app',
  frame: 'Chat: {name}',
  slow: 'The chat page is taking a long time to load',
  newWindow: 'Open in a new window',
}

export const chatText = { zh, en }
export const useChatText = () => useText(chatText)
