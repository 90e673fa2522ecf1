import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/media.ts'
import {
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import models from './models.json'

/** Source: ai.360.com/platform/docs */
export const provider = defineProvider({
  type: 19,
  name: '360',
  nameZh: '360 智脑',
  baseUrl: 'https://api.360.cn',
  models,
  ownedBy: 'ai360',
  chat: openaiCompatibleChat({ rules: { rejectsDeveloperRole: true } }),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages(),
  listModels: openaiCompatibleModelList(),
})
