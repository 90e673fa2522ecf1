import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/operations.ts'
import models from './models.json'

/** Source: platform.lingyiwanwu.com/docs */
export const provider = defineProvider({
  type: 31,
  name: 'Lingyi',
  nameZh: '零一万物',
  baseUrl: 'https://api.lingyiwanwu.com',
  models,
  ownedBy: 'lingyiwanwu',
  chat: openaiCompatibleChat({ rules: { rejectsDeveloperRole: true } }),
  listModels: openaiCompatibleModelList(),
})
