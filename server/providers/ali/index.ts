import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import {
  type AdapterCall,
  bearerHeaders,
  type RerankAdapter,
} from '../../provider-kit/contract/operation-adapter.ts'
import { documentText } from '../../provider-kit/contract/operations.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { usageFromTotals } from '../../provider-kit/extra-usage.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asCount, asObject, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
  readRerankResults,
} from '../../provider-kit/openai-compatible/operations.ts'
import { findWebSearch, WEB_SEARCH_ONLY } from '../../provider-kit/openai-compatible/web-search.ts'
import { imageEdits, images, readAliFailure } from './images.ts'
import models from './models.json'

const SEARCH_SUFFIX = /-internet$/

/** These models only stream. The relay collects the chunks for clients that do not. */
const STREAMS_ONLY = /^(?:qwq|qvq)|-thinking(?:-|$)/

/** The open models think by default, but reject thinking without a stream. */
const THINKS_IN_STREAMS_ONLY = /^qwen3-\d+(?:\.\d+)?b/

/** Source: help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope */
function toAliBody({ web_search_options: _, ...body }: JsonObject, call: AdapterCall<ChatBody>): JsonObject {
  const { model, isStream } = call
  const name = model.replace(SEARCH_SUFFIX, '')
  const rest = { ...toSearch(call, name !== model), ...body, model: name }
  if (isStream) return rest
  if (STREAMS_ONLY.test(name)) return { ...rest, stream: true, stream_options: { include_usage: true } }
  return THINKS_IN_STREAMS_ONLY.test(name) ? { enable_thinking: false, ...rest } : rest
}

/** Source: help.aliyun.com/zh/model-studio/web-search */
function toSearch(call: AdapterCall<ChatBody>, hasSuffix: boolean): JsonObject {
  if (!hasSuffix && !findWebSearch(call)) return {}
  const isForced = call.hostedTools?.forced === 'web_search'
  return { enable_search: true, ...(isForced && { search_options: { forced_search: true } }) }
}

const aliHeaders = (call: Pick<AdapterCall<unknown>, 'channel'>): Record<string, string> => ({
  ...bearerHeaders(call),
  ...(call.channel.other && { 'x-dashscope-plugin': call.channel.other }),
})

/** Source: help.aliyun.com/zh/model-studio/text-rerank-api */
const rerank: RerankAdapter = {
  request: call => ({
    url: `${call.channel.baseUrl}/api/v1/services/rerank/text-rerank/text-rerank`,
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      input: { query: call.body.query, documents: call.body.documents.map(documentText) },
      parameters: {
        return_documents: call.body.return_documents ?? undefined,
        top_n: call.body.top_n ?? undefined,
      },
    }),
  }),
  reply(json) {
    const { results } = asObject(asObject(json).output)
    if (!isObject(json) || !Array.isArray(results))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const usage = usageFromTotals({ prompt: asCount(asObject(json.usage).total_tokens), completion: 0 })
    return { kind: 'reply', reply: { results: readRerankResults(results) }, usage }
  },
  failure: readAliFailure,
}

export const provider = defineProvider({
  type: 17,
  name: 'Ali Qwen',
  popularity: 'popular',
  nameZh: '阿里通义千问',
  baseUrl: 'https://dashscope.aliyuncs.com',
  models,
  ownedBy: 'ali',
  form: {
    other: { label: { zh: '插件参数', en: 'Plugins' }, placeholder: 'X-DashScope-Plugin' },
    notice: {
      zh: '国际站请填写 https://dashscope-intl.aliyuncs.com。模型名添加 -internet 后缀可启用联网搜索。',
      en: 'International accounts use https://dashscope-intl.aliyuncs.com. The model suffix -internet enables web search.',
    },
  },
  chat: {
    ...openaiCompatibleChat({
      path: '/compatible-mode/v1/chat/completions',
      headers: aliHeaders,
      clamp: { top_p: [0.001, 0.999] },
      supportedExtensions: ['top_k', 'reasoning_content', 'cache_control'],
      adjust: toAliBody,
      hostedTools: WEB_SEARCH_ONLY,
    }),
    failure: readAliFailure,
  },
  embeddings: {
    ...openaiCompatibleEmbeddings({ path: '/compatible-mode/v1/embeddings' }),
    failure: readAliFailure,
  },
  images,
  imageEdits,
  rerank,
  listModels: openaiCompatibleModelList({ path: '/compatible-mode/v1/models' }),
})
