import { versionedUrl } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { embeddings, imageEdits, images, readArkUsage, revokedKey } from './ark.ts'
import { speech } from './speech.ts'

/** Source: volcengine.com/docs/82379 */
export const provider = defineProvider({
  type: 45,
  name: 'Volcano Ark',
  popularity: 'popular',
  nameZh: '字节火山方舟',
  baseUrl: 'https://ark.cn-beijing.volces.com',
  models: [
    'doubao-seed-1-6-250615',
    'doubao-seed-1-6-flash-250615',
    'doubao-1-5-pro-32k-250115',
    'Doubao-pro-128k',
    'Doubao-pro-32k',
    'Doubao-pro-4k',
    'Doubao-lite-128k',
    'Doubao-lite-32k',
    'Doubao-lite-4k',
    'Doubao-embedding',
    'doubao-embedding-vision-250615',
  ],
  ownedBy: 'volcengine',
  keyHint: 'API Key; AppId|Token (TTS)',
  form: {
    notice: {
      zh: '模型可填写模型名或推理接入点（ep-…），以 bot 开头的模型按智能体应用调用。名称不一致时，请使用模型映射。',
      en: 'A model is a model name or an endpoint (ep-…). Names that start with bot call an application. Use model mapping where names differ.',
    },
  },
  chat: openaiCompatibleChat({
    url: ({ channel, model }) =>
      versionedUrl(
        channel.baseUrl,
        model.startsWith('bot') ? '/api/v3/bots/chat/completions' : '/api/v3/chat/completions',
      ),
    supportedExtensions: ['reasoning_content'],
    adjust: ({ max_tokens, ...body }) => (body.max_completion_tokens ? body : { ...body, max_tokens }),
    rejectsDeveloperRole: true,
    readUsage: readArkUsage,
    revokedKey,
  }),
  embeddings,
  images,
  imageEdits,
  speech,
})
