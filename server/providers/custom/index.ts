import { GatewayError } from '../../core/errors.ts'
import {
  type AdapterCall,
  type ChannelView,
  versionedUrl,
} from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider, type Provider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleImages,
  openaiCompatibleSpeech,
  openaiCompatibleTranscription,
} from '../../provider-kit/openai-compatible/media.ts'
import {
  createRerankAdapter,
  openaiCompatibleBalance,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
  openaiCompatibleModeration,
} from '../../provider-kit/openai-compatible/operations.ts'

const CHAT = '/chat/completions'
const EMBEDDINGS = '/embeddings'
const IMAGES = '/images/generations'
const SPEECH = '/audio/speech'
const TRANSCRIPTION = '/audio/transcriptions'
const MODERATION = '/moderations'
const RERANK = '/rerank'
const ENDPOINTS = [CHAT, EMBEDDINGS, IMAGES, SPEECH, TRANSCRIPTION, MODERATION, RERANK]

const endpointOf = (url: string) =>
  url.includes('{model}') ? undefined : ENDPOINTS.find(end => url.endsWith(end))

/** The endpoint itself where the channel names it, else the one beside the endpoint that the channel names. */
const at = (path: string) => ({
  url: ({ channel: { baseUrl } }: { readonly channel: ChannelView }) =>
    endpointOf(baseUrl) === path ? baseUrl : toRootUrl(baseUrl) + path,
})

const chatUrl = ({ channel, model }: Pick<AdapterCall<unknown>, 'channel' | 'model'>): string =>
  endpointOf(channel.baseUrl) === undefined
    ? channel.baseUrl.replaceAll('{model}', encodeURIComponent(model))
    : at(CHAT).url({ channel })

const listModels = openaiCompatibleModelList({
  url: ({ channel }) => versionedUrl(toRootUrl(channel.baseUrl), '/v1/models'),
})

const balance: NonNullable<Provider['balance']> = (channel, io) =>
  openaiCompatibleBalance({ ...channel, baseUrl: toRootUrl(channel.baseUrl) }, io)

/** Any endpoint of OpenAI's form. The channel's base URL is the complete URL of one; the others are found beside it. */
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
      zh: '系统直接请求该地址，不附加路径，例如 https://example.com/v1/chat/completions。同一目录下的 /embeddings、/images/generations、/audio/speech 等接口由此得出。',
      en: 'The URL is used as entered and no path is appended, e.g. https://example.com/v1/chat/completions. Endpoints beside it, such as /embeddings and /images/generations, are found from it.',
    },
  },
  chat: openaiCompatibleChat({ url: chatUrl, supportedExtensions: ['reasoning_content'] }),
  embeddings: openaiCompatibleEmbeddings(at(EMBEDDINGS)),
  images: openaiCompatibleImages(at(IMAGES)),
  speech: openaiCompatibleSpeech(at(SPEECH)),
  transcription: openaiCompatibleTranscription(at(TRANSCRIPTION)),
  moderation: openaiCompatibleModeration(at(MODERATION)),
  rerank: createRerankAdapter(at(RERANK)),
  listModels,
  balance,
})

/**
 * The URL that the endpoints share. Throws a GatewayError where the channel's URL has another form.
 */
function toRootUrl(url: string): string {
  const endpoint = endpointOf(url)
  if (endpoint !== undefined) return url.slice(0, -endpoint.length)
  throw new GatewayError('invalid_request', {
    zh: `渠道的 API 地址不是以 ${CHAT} 等接口路径结尾，无法由此得出其他接口的地址`,
    en: `the channel's base URL does not end in ${CHAT} or another endpoint, so other URLs cannot be derived from it`,
  })
}
