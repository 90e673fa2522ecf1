import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { WebSearchTool } from '../../provider-kit/contract/hosted-tool.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleImages,
  openaiCompatibleSpeech,
  openaiCompatibleTranscription,
} from '../../provider-kit/openai-compatible/media.ts'
import {
  createRerankAdapter,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { documentedVoices } from '../../provider-kit/openai-compatible/voices.ts'
import { findWebSearch, WEB_SEARCH_ONLY } from '../../provider-kit/openai-compatible/web-search.ts'
import models from './models.json'

const revokedKey = { codes: ['1000', '1001', '1002', '1003', '1004', '1113'] }

/** Source: docs.bigmodel.cn/api-reference (text to speech) */
const VOICES = [
  { id: 'tongtong', name: '彤彤' },
  { id: 'chuichui', name: '锤锤' },
  { id: 'xiaochen', name: '小陈' },
  { id: 'jam', name: 'jam' },
  { id: 'kazi', name: 'kazi' },
  { id: 'douji', name: 'douji' },
  { id: 'luodo', name: 'luodo' },
]

/** Source: docs.bigmodel.cn. Codes 1000 to 1004 reject the key, 1113 is an empty account. */
export const provider = defineProvider({
  type: 26,
  name: 'Zhipu GLM-4V',
  popularity: 'popular',
  nameZh: '智谱 GLM-4V',
  baseUrl: 'https://open.bigmodel.cn',
  keyPattern: /^[0-9a-f]{32}\.\w{16}$/,
  catalogue: 'zhipu',
  models,
  ownedBy: 'zhipu_4v',
  chat: openaiCompatibleChat({
    path: '/api/paas/v4/chat/completions',
    rules: { rejectsDeveloperRole: true, thoughtForm: 'text' },
    rename: { max_completion_tokens: 'max_tokens', user: 'user_id' },
    drop: ['presence_penalty', 'frequency_penalty', 'logit_bias'],
    clamp: { temperature: [0, 1], top_p: [0.01, 0.99] },
    supportedExtensions: ['reasoning_content'],
    adjust: toZhipuBody,
    hostedTools: WEB_SEARCH_ONLY,
    revokedKey,
  }),
  embeddings: openaiCompatibleEmbeddings({ path: '/api/paas/v4/embeddings', revokedKey }),
  images: openaiCompatibleImages({
    path: '/api/paas/v4/images/generations',
    rename: { user: 'user_id' },
    drop: ['n', 'style', 'response_format'],
    revokedKey,
  }),
  speech: openaiCompatibleSpeech({ path: '/api/paas/v4/audio/speech', revokedKey }),
  voices: documentedVoices(model => (model.includes('tts') ? VOICES : [])),
  transcription: openaiCompatibleTranscription({
    path: '/api/paas/v4/audio/transcriptions',
    isJsonOnly: true,
    revokedKey,
  }),
  rerank: createRerankAdapter({ path: '/api/paas/v4/rerank', revokedKey }),
  listModels: openaiCompatibleModelList({ path: '/api/paas/v4/models' }),
})

/** Adjustments beyond what options can express. Source: docs.bigmodel.cn/api-reference */
export function toZhipuBody(
  { stop, temperature, tool_choice, tools: functions, web_search_options: _, ...body }: JsonObject,
  call?: AdapterCall<ChatBody>,
): JsonObject {
  const firstStop = Array.isArray(stop) ? stop[0] : stop
  const search = call && findWebSearch(call)
  const tools = search ? [...asArray(functions), toSearchTool(search)] : functions
  return {
    ...body,
    messages: asArray(body.messages).map(toZhipuMessage),
    ...(asString(firstStop) && { stop: [firstStop] }),
    ...toSampling(temperature),
    ...(tools && tool_choice !== 'none' ? { tools, tool_choice: 'auto' } : {}),
  }
}

const CONTENT_SIZE_OF = { low: 'medium', medium: 'medium', high: 'high' } as const

/** One domain only. Source: docs.bigmodel.cn/cn/guide/tools/web-search */
function toSearchTool({ allowedDomains, contextSize = 'medium' }: WebSearchTool): JsonObject {
  const [domain, ...others] = allowedDomains ?? []
  return {
    type: 'web_search',
    web_search: {
      enable: true,
      search_engine: 'search_pro',
      search_result: true,
      content_size: CONTENT_SIZE_OF[contextSize],
      ...(domain !== undefined && others.length === 0 && { search_domain_filter: domain }),
    },
  }
}

/** A temperature of 0 disables sampling; others are rounded to two decimals. */
function toSampling(temperature: unknown): JsonObject {
  if (typeof temperature !== 'number') return {}
  return temperature === 0 ? { do_sample: false } : { temperature: Math.round(temperature * 100) / 100 }
}

function toZhipuMessage(message: unknown): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  return { ...message, content: message.content.map(toZhipuPart) }
}

/** Images are sent as base64 without the data URL prefix. */
function toZhipuPart(part: unknown): unknown {
  if (!isObject(part) || part.type !== 'image_url') return part
  const url = asString(part.image_url) ?? asString(asObject(part.image_url).url) ?? ''
  return { type: 'image_url', image_url: { url: url.replace(/^data:[^,]*;base64,/, '') } }
}
