import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat, embeddings, images, interactions, listModels, native, tokenCount } from './adapters.ts'
import models from './models.json'

export const provider = defineProvider({
  type: 24,
  name: 'Google Gemini',
  popularity: 'popular',
  genAiName: 'gcp.gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  keyPattern: /^AIza[\w-]{35}$/,
  catalogue: 'google',
  models,
  ownedBy: 'google gemini',
  form: {
    other: { label: { zh: 'API 版本', en: 'API version' }, placeholder: 'v1beta' },
  },
  chat,
  embeddings,
  images,
  native: { gemini: native, interactions },
  tokenCount: { gemini: tokenCount },
  listModels,
})
