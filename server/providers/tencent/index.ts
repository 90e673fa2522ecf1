import type { EmbeddingsAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asObject } from '../../provider-kit/json.ts'
import { readTencentFailure, readWrappedError, toActionRequest } from './action-api.ts'
import { chat, readTencentUsage } from './chat.ts'
import models from './models.json'

/** Source: cloud.tencent.com/document/api/1729/102832 */
const embeddings: EmbeddingsAdapter = {
  request: call => toActionRequest(call, 'GetEmbedding', { InputList: embeddingTexts(call.body) }),
  reply(json) {
    const response = asObject(asObject(json).Response)
    if (!Array.isArray(response.Data))
      return { kind: 'failure', failure: readWrappedError(json) ?? readEmbeddedFailure(json) }
    const vectors = response.Data.map(row => asArray(asObject(row).Embedding).map(Number))
    return { kind: 'reply', reply: { vectors }, usage: readTencentUsage(response.Usage) }
  },
  failure: readTencentFailure,
}

export const provider = defineProvider({
  type: 23,
  name: 'Tencent Hunyuan',
  nameZh: '腾讯混元',
  baseUrl: 'https://hunyuan.tencentcloudapi.com',
  models,
  ownedBy: 'tencent',
  keyHint: 'AppId|SecretId|SecretKey',
  chat,
  embeddings,
})
