import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  help: '已登录您账户的浏览器。如有不认识的会话，请将其结束并修改密码。',
  current: '本次会话',
  unknownDevice: '未知设备',
  device: '{system} 上的 {browser}',
  from: '来自 {address}',
  end: '结束',
  endNamed: '结束会话：{name}',
  ended: '会话已结束',
  endOthers: '结束其他所有会话',
  endTitle: '要结束所有这些会话吗？',
  endText: '这些浏览器需要重新登录。',
}

const en: English<typeof zh> = {
  help: 'Browsers that are signed in to your account. End any that you do not know, and change your password.',
  current: 'This session',
  unknownDevice: 'Unknown device',
  device: '{browser} on {system}',
  from: 'from {address}',
  end: 'End',
  endNamed: 'End the session: {name}',
  ended: 'Session ended',
  endOthers: 'End all other sessions',
  endTitle: 'End all of these sessions?',
  endText: 'These browsers must sign in again.',
}

export const text = { zh, en }
export const useSessionsText = () => useText(text)
