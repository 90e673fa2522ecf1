import { versionedUrl } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { embeddings, imageEdits, images, readArkUsage, revokedKey } from './ark.ts'
import models from './models.json'
import { speech } from './speech.ts'

/** Source: volcengine.com/docs/82379 */
export const provider = defineProvider({
  type: 45,
  name: 'Volcano Ark',
  hasDeployments: true,
  popularity: 'popular',
  nameZh: '字节火山方舟',
  baseUrl: 'https://ark.cn-beijing.volces.com',
  catalogue: 'volcengine',
  models,
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
    rules: { rejectsDeveloperRole: true },
    readUsage: readArkUsage,
    revokedKey,
  }),
  embeddings,
  images,
  imageEdits,
  speech,
})
