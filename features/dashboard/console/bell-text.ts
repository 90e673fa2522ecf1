import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  bell: '需要处理的事项',
  bellUnread: '需要处理的事项：{count} 条未读',
  unread: '未读',
}

const en: English<typeof zh> = {
  bell: 'What needs attention',
  bellUnread: 'What needs attention: {count} unread',
  unread: 'Unread',
}

const text = { zh, en }
export const useBellText = () => useText(text)
