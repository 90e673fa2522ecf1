import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/media.ts'
import {
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'

/** Source: ai.360.com/platform/docs */
export const provider = defineProvider({
  type: 19,
  name: '360',
  nameZh: '360 智脑',
  baseUrl: 'https://api.360.cn',
  models: [
    '360gpt-turbo',
    '360gpt-turbo-responsibility-8k',
    '360gpt-pro',
    '360gpt2-pro',
    '360GPT_S2_V9',
    'embedding-bert-512-v1',
    'embedding_s1_v1',
    'semantic_similarity_s1_v1',
  ],
  ownedBy: 'ai360',
  chat: openaiCompatibleChat({ rules: { rejectsDeveloperRole: true } }),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages(),
  listModels: openaiCompatibleModelList(),
})
