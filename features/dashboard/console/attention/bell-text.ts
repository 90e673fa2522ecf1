import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  bell: '需要处理的事项',
  bellUnread: '需要处理的事项：{count} 条未读',
  unread: '未读',
  openOverview: '打开概览',
}

const en: English<typeof zh> = {
  bell: 'What needs attention',
  bellUnread: 'What needs attention: {count} unread',
  unread: 'Unread',
  openOverview: 'Open the overview',
}

const text = { zh, en }

/**
 * The texts of the bell alone, which the overview does not load.
 */
export const useBellText = () => useText(text)
