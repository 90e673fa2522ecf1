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
      zh: '仅发送最后一条消息，参考文档列于回复之后。上游不返回用量，将按估算计费。',
      en: 'Only the last message is sent, and sources are listed below the response. The API reports no usage, so it is estimated.',
    },
  },
  chat,
})
