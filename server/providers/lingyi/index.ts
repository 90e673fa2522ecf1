import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { defineProvider } from '../../provider-kit/provider.ts'

/** Source: platform.lingyiwanwu.com/docs */
export const provider = defineProvider({
  type: 31,
  name: 'Lingyi',
  nameZh: '零一万物',
  baseUrl: 'https://api.lingyiwanwu.com',
  models: [
    'yi-large',
    'yi-medium',
    'yi-vision',
    'yi-medium-200k',
    'yi-spark',
    'yi-large-rag',
    'yi-large-turbo',
    'yi-large-preview',
    'yi-large-rag-preview',
  ],
  ownedBy: 'lingyiwanwu',
  chat: openaiCompatibleChat({ refusesDeveloperRole: true }),
  listModels: openaiCompatibleModelList(),
})
