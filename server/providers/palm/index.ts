import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat, embeddings } from './adapters.ts'

/** Google has shut this API down; mirrors still serve it. */
export const provider = defineProvider({
  type: 11,
  name: 'Google PaLM 2',
  popularity: 'discontinued',
  baseUrl: 'https://generativelanguage.googleapis.com',
  models: ['PaLM-2'],
  ownedBy: 'google palm',
  form: {
    notice: {
      zh: 'Google 已停止 PaLM 2 服务，此类型仅用于兼容的镜像地址。上游不返回用量，将按估算计费。',
      en: 'Google has shut down PaLM 2. This type is for compatible mirrors only. They report no usage, so it is estimated.',
    },
  },
  chat,
  embeddings,
})
