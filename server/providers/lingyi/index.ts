import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/operations.ts'

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
  chat: openaiCompatibleChat({ rejectsDeveloperRole: true }),
  listModels: openaiCompatibleModelList(),
})
