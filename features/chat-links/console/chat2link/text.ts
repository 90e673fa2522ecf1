import { type English, useText } from '#console/ui/text/text.ts'

const zh = { title: '打开聊天', leaving: '正在前往 {host}…' }

const en: English<typeof zh> = { title: 'Opening chat', leaving: 'Going to {host}…' }

export const text = { zh, en }
export const useScreenText = () => useText(text)
