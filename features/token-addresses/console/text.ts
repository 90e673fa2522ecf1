import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  none: '最近 90 天内没有请求使用过此令牌。',
  lastUse: '最近使用',
  firstUse: '首次使用',
}

const en: English<typeof zh> = {
  none: 'No request has used this token in the last 90 days.',
  lastUse: 'Last use',
  firstUse: 'First use',
}

export const text = { zh, en }
export const useAddressText = () => useText(text)
