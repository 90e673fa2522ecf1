import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '所有用户的令牌',
  own: '我的令牌',
  searchAll: '搜索令牌名称、用户名或用户 ID',
  searchKey: '粘贴泄露的密钥',
  owner: '用户',
  banned: '已封禁',
  disable: '禁用令牌 {name}',
  enable: '启用令牌 {name}',
  disabledToast: '已禁用令牌 {name}，使用它的请求将被拒绝',
  enabledToast: '已启用令牌 {name}',
  noneTitle: '没有匹配的令牌',
  noneText: '请更换搜索内容或清除筛选。',
  keyFound: '此密钥属于用户 {username} 的令牌 {name}。',
  usedFrom: '最近使用地址：{addresses}',
  clear: '清除筛选',
}

const en: English<typeof zh> = {
  title: 'Tokens of all users',
  own: 'Your tokens',
  searchAll: 'Search token, username or user ID',
  searchKey: 'Paste a leaked key',
  owner: 'User',
  banned: 'Banned',
  disable: 'Disable token {name}',
  enable: 'Enable token {name}',
  disabledToast: 'Token {name} is disabled: requests with it are rejected',
  enabledToast: 'Token {name} is enabled',
  noneTitle: 'No matching tokens',
  noneText: 'Try another search, or clear the filters.',
  keyFound: 'This key is the token {name} of the user {username}.',
  usedFrom: 'Used from: {addresses}',
  clear: 'Clear filters',
}

export const text = { zh, en }
export const useAllText = () => useText(text)
export type AllTranslate = ReturnType<typeof useAllText>
