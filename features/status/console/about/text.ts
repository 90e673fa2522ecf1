import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '关于',
  intro: '{system} 使用 Tollgate 运行：一个账目平衡的 AI 模型网关。',
  introOwn: 'Tollgate 是一个账目平衡的 AI 模型网关。',
  licence: 'Tollgate 以 MIT 许可证开源。',
  own: '管理员可以在设置的“其他设置”中填写此页内容。',
  version: '版本',
  started: '启动时间',
}

const en: English<typeof zh> = {
  title: 'About',
  intro: '{system} runs on Tollgate, an AI model gateway whose books balance.',
  introOwn: 'Tollgate is an AI model gateway whose books balance.',
  licence: 'Tollgate is open source under the MIT license.',
  own: 'An administrator can fill in this page in the settings, under Other.',
  version: 'Version',
  started: 'Running since',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
