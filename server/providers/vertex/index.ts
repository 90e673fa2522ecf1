import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat, native } from './chat.ts'
import { embeddings } from './embeddings.ts'
import { images } from './images.ts'
import { models } from './models.ts'
import { askForToken } from './service-account.ts'

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
      zh: '密钥填写服务账号的 JSON。地区可以是一个名称，也可以是按模型区分的 JSON：{"default": "us-central1", "claude-3-5-sonnet-20240620": "europe-west1"}。',
      en: 'The key is the JSON of a service account. The region is one name, or JSON by model: {"default": "us-central1", "claude-3-5-sonnet-20240620": "europe-west1"}.',
    },
  },
  chat,
  native,
  embeddings,
  images,
  credential: askForToken,
})
