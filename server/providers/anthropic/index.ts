import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/operations.ts'
import { anthropicHeaders, chat, native, tokenCount } from './adapters.ts'
import models from './models.json'

export const provider = defineProvider({
  type: 14,
  name: 'Anthropic Claude',
  popularity: 'popular',
  genAiName: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  keyPattern: /^sk-ant-[\w-]{20,}$/,
  catalogue: 'anthropic',
  models,
  ownedBy: 'claude',
  chat,
  native: { anthropic: native },
  tokenCount: { anthropic: tokenCount },
  listModels: openaiCompatibleModelList({ path: '/v1/models?limit=1000', headers: anthropicHeaders }),
})
