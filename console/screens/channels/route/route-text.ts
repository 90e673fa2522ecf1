import type { English } from '../../../ui/text/text.ts'
import { text } from '../text.ts'

const zh = {
  group: '分组',
  model: '模型',
  chooseModel: '选择模型，查看请求会发给哪些渠道',
  tries: '最多依次尝试 {count} 个渠道。不会发送任何请求。',
  chance: '首选概率',
  upstream: '上游模型',
  atTheMoment: '当前状态',
  ready: '可用',
  noCandidates: '没有可用的渠道',
}

const en: English<typeof zh> = {
  group: 'Group',
  model: 'Model',
  chooseModel: 'Choose a model to see which channels a request would be sent to',
  tries_one: 'One channel is tried. Nothing is sent.',
  tries: 'At most {count} channels are tried, in this order. Nothing is sent.',
  chance: 'First choice',
  upstream: 'Upstream model',
  atTheMoment: 'At the moment',
  ready: 'ready',
  noCandidates: 'No channel would be asked',
}

export const routeText = { zh: { ...text.zh, ...zh }, en: { ...text.en, ...en } }
