import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { balance, listModels } from './beside-chat.ts'

/** Any address that answers chat completions. The channel's address is the whole of it; nothing is appended. */
export const provider = defineProvider({
  type: 8,
  name: 'Custom',
  nameZh: '自定义渠道',
  baseUrl: '',
  models: ['gpt-3.5-turbo', 'gpt-4', 'gpt-4-turbo', 'gpt-4o', 'gpt-4o-mini'],
  ownedBy: 'openai',
  form: {
    baseUrl: 'required',
    baseUrlLabel: {
      zh: '完整的请求地址，支持变量 {model}',
      en: 'The whole address to call; {model} stands for the model',
    },
    notice: {
      zh: '地址按原样使用，不会再附加路径，例如 https://example.com/v1/chat/completions。仅支持聊天。',
      en: 'The address is used as it is and nothing is appended, e.g. https://example.com/v1/chat/completions. Chat only.',
    },
  },
  chat: openaiCompatibleChat({
    url: ({ channel, model }) => channel.baseUrl.replaceAll('{model}', encodeURIComponent(model)),
  }),
  listModels,
  balance,
})
