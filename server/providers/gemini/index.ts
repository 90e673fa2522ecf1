import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat, embeddings, images, listModels, native, tokenCount } from './adapters.ts'

/** The initial models of a new channel. */
const models: readonly string[] = [
  'gemini-3-pro-preview',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
  'gemini-2.0-flash-lite',
  'gemini-embedding-001',
  'gemini-1.5-pro',
  'gemini-1.5-flash',
  'gemini-1.5-flash-8b',
  'gemini-2.0-flash',
  'gemini-1.5-pro-latest',
  'gemini-1.5-flash-latest',
  'gemini-2.5-pro-exp-03-25',
  'gemini-2.5-pro-preview-03-25',
  'imagen-3.0-generate-002',
  'text-embedding-004',
]

export const provider = defineProvider({
  type: 24,
  name: 'Google Gemini',
  popularity: 'popular',
  genAiName: 'gcp.gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  models,
  ownedBy: 'google gemini',
  form: {
    other: { label: { zh: 'API 版本', en: 'API version' }, placeholder: 'v1beta' },
  },
  chat,
  embeddings,
  images,
  native: { gemini: native },
  tokenCount: { gemini: tokenCount },
  listModels,
})
