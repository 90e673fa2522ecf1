import { type English, useText } from '#console/ui/text/text.ts'

const zh = { title: '聊天' }

const en: English<typeof zh> = { title: 'Chat' }

export const text = { zh, en }
export const useScreenText = () => useText(text)
