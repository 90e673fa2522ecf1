import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat } from './chat.ts'

export const provider = defineProvider({
  type: 21,
  name: 'AI Proxy Library',
  baseUrl: 'https://api.aiproxy.io',
  models: [],
  ownedBy: 'aiproxy',
  form: {
    other: { label: { zh: '知识库 ID', en: 'Library ID' }, placeholder: '123456', isRequired: true },
    notice: {
      zh: '只提问最后一条消息；参考文档列在回答之后；不返回用量，按估算计费。',
      en: 'Only the last message is asked; sources are listed below the answer; usage is not given and is estimated.',
    },
  },
  chat,
})
