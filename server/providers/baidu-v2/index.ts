import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/media.ts'
import {
  createRerankAdapter,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import models from './models.json'

const revokedKey = { codes: ['invalid_iam_token'] }

/** Source: cloud.baidu.com/doc/qianfan-api */
export const provider = defineProvider({
  type: 46,
  name: 'Baidu Qianfan V2',
  nameZh: '百度文心千帆 V2',
  baseUrl: 'https://qianfan.baidubce.com',
  keyPattern: /^bce-v3\/[\w/-]{20,}$/,
  models,
  ownedBy: 'baidu',
  form: {
    notice: {
      zh: '密钥为 bce-v3/ALTAK-…。如需指定应用，请填写“密钥|AppId”。',
      en: 'The key is bce-v3/ALTAK-…. To select an application, enter key|AppId.',
    },
  },
  chat: openaiCompatibleChat({
    path: '/v2/chat/completions',
    headers: qianfanHeaders,
    rules: { rejectsDeveloperRole: true },
    clamp: { temperature: [0.01, 1] },
    adjust: toQianfanBody,
    revokedKey,
  }),
  embeddings: openaiCompatibleEmbeddings({ path: '/v2/embeddings', headers: qianfanHeaders, revokedKey }),
  images: openaiCompatibleImages({ path: '/v2/images/generations', headers: qianfanHeaders, revokedKey }),
  rerank: createRerankAdapter({ path: '/v2/rerank', headers: qianfanHeaders, revokedKey }),
  listModels: openaiCompatibleModelList({ path: '/v2/models', headers: qianfanHeaders }),
})

/** The key may be followed by a bar and an application id: `bce-v3/ALTAK-…|app-…`. */
export function qianfanHeaders({ channel }: Pick<AdapterCall<unknown>, 'channel'>): Record<string, string> {
  const [key = '', appId] = channel.key.split('|')
  return {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(appId && { appid: appId }),
  }
}

/**
 * Penalties are a single score from 1 to 2, stop is a list, and only the newer name of the limit is supported.
 * Source: cloud.baidu.com/doc/qianfan-api
 */
export function toQianfanBody(body: JsonObject): JsonObject {
  const { frequency_penalty: penalty, presence_penalty, stop, max_tokens, ...rest } = body
  const isScore = typeof penalty === 'number' && penalty >= 1 && penalty <= 2
  return {
    ...rest,
    max_completion_tokens: body.max_completion_tokens ?? max_tokens ?? undefined,
    ...(isScore && { penalty_score: penalty }),
    ...(stop ? { stop: typeof stop === 'string' ? [stop] : stop } : {}),
  }
}
