import type { ChatAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import models from './models.json'
import { embeddings, images, readAnyFailure, readBaseFailure, speech, voices } from './operations.ts'

/**
 * Streams end with the complete response once more and without an end marker, so responses are rewritten. Source:
 * platform.minimaxi.com/document/ChatCompletion_v2
 */
const chat: ChatAdapter = {
  ...openaiCompatibleChat({
    path: '/v1/text/chatcompletion_v2',
    rules: { rejectsDeveloperRole: true, thoughtForm: 'text' },
    drop: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'n'],
    clamp: { temperature: [0.01, 1], top_p: [0.01, 1] },
    supportedExtensions: ['reasoning_content'],
    readFailure: readBaseFailure,
    isRewritten: true,
  }),
  failure: readAnyFailure,
}

/** Source: platform.minimaxi.com/document */
export const provider = defineProvider({
  type: 35,
  name: 'MiniMax',
  baseUrl: 'https://api.minimax.chat',
  catalogue: 'minimax',
  models,
  ownedBy: 'minimax',
  form: {
    notice: {
      zh: '密钥不可跨区域使用：国内站为 https://api.minimaxi.com，国际站为 https://api.minimax.io。',
      en: 'Keys are valid in one region only: https://api.minimaxi.com in China, https://api.minimax.io elsewhere.',
    },
  },
  chat,
  embeddings,
  images,
  speech,
  voices,
})
