import { GatewayError } from '../../core/errors.ts'
import { versionedUrl } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider, type Provider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleBalance,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'

const listModels = openaiCompatibleModelList({
  url: ({ channel }) => versionedUrl(toRootUrl(channel.baseUrl), '/v1/models'),
})

const balance: NonNullable<Provider['balance']> = (channel, io) =>
  openaiCompatibleBalance({ ...channel, baseUrl: toRootUrl(channel.baseUrl) }, io)

/** Any chat completions endpoint. The channel's base URL is the complete URL; nothing is appended. */
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
      en: 'Complete request URL; {model} is replaced by the model name',
    },
    notice: {
      zh: '系统直接请求该地址，不附加路径，例如 https://example.com/v1/chat/completions。仅支持聊天。',
      en: 'The URL is used as entered and no path is appended, e.g. https://example.com/v1/chat/completions. Chat only.',
    },
  },
  chat: openaiCompatibleChat({
    url: ({ channel, model }) => channel.baseUrl.replaceAll('{model}', encodeURIComponent(model)),
  }),
  listModels,
  balance,
})

const CHAT = '/chat/completions'

/**
 * The URL that the other endpoints share with the chat endpoint. Throws a GatewayError where the chat URL has another
 * form.
 */
function toRootUrl(chatUrl: string): string {
  if (chatUrl.endsWith(CHAT) && !chatUrl.includes('{model}')) return chatUrl.slice(0, -CHAT.length)
  throw new GatewayError('invalid_request', {
    zh: `渠道的 API 地址不是以 ${CHAT} 结尾，无法由此得出其他接口的地址`,
    en: `the channel's base URL does not end in ${CHAT}, so other URLs cannot be derived from it`,
  })
}
