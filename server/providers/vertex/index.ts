import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat, native } from './chat.ts'
import { embeddings, images } from './predict.ts'
import { askForToken } from './transport.ts'

/** The initial models of a new channel. */
const models: readonly string[] = [
  'claude-opus-4-5-20251101',
  'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5-20251001',
  'claude-opus-4-1-20250805',
  'gemini-3-pro-preview',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
  'gemini-2.0-flash-lite',
  'gemini-embedding-001',
  'meta/llama3-405b-instruct-maas',
  'claude-3-sonnet-20240229',
  'claude-3-opus-20240229',
  'claude-3-haiku-20240307',
  'claude-3-5-haiku-20241022',
  'claude-3-5-sonnet-20240620',
  'claude-3-5-sonnet-20241022',
  'claude-3-7-sonnet-20250219',
  'claude-3-7-sonnet-20250219-thinking',
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
  type: 41,
  name: 'Vertex AI',
  genAiName: 'gcp.vertex_ai',
  baseUrl: '',
  models,
  ownedBy: 'vertex-ai',
  form: {
    key: 'json',
    other: {
      label: { zh: '部署地区', en: 'Region' },
      placeholder: 'us-central1',
      defaultValue: 'us-central1',
      isRequired: true,
    },
    notice: {
      zh: '密钥为服务账号的 JSON。地区可填写单个名称，也可填写按模型区分的 JSON：{"default": "us-central1", "claude-3-5-sonnet-20240620": "europe-west1"}。',
      en: 'The key is the JSON of a service account. The region is a single name, or JSON with a region for each model: {"default": "us-central1", "claude-3-5-sonnet-20240620": "europe-west1"}.',
    },
  },
  chat,
  native,
  embeddings,
  images,
  credential: askForToken,
})
