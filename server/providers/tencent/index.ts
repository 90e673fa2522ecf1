import { embeddingTexts } from '../../provider-kit/embedding-texts.ts'
import { listOf, objectOf } from '../../provider-kit/json.ts'
import { defineProvider, type EmbeddingsExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { toActionRequest } from './action-request.ts'
import { chat, readTencentUsage } from './chat.ts'
import { readTencentFailure, readWrappedError } from './failure.ts'

/** Source: cloud.tencent.com/document/api/1729/102832 */
const embeddings: EmbeddingsExchange = {
  request: call => toActionRequest(call, 'GetEmbedding', { InputList: embeddingTexts(call.body) }),
  reply(json) {
    const response = objectOf(objectOf(json).Response)
    if (!Array.isArray(response.Data))
      return { kind: 'failure', failure: readWrappedError(json) ?? readHiddenFailure(json) }
    const vectors = response.Data.map(row => listOf(objectOf(row).Embedding).map(Number))
    return { kind: 'reply', reply: { vectors }, usage: readTencentUsage(response.Usage) }
  },
  failure: readTencentFailure,
}

export const provider = defineProvider({
  type: 23,
  name: 'Tencent Hunyuan',
  nameZh: '腾讯混元',
  baseUrl: 'https://hunyuan.tencentcloudapi.com',
  models: [
    'hunyuan-turbos-latest',
    'hunyuan-t1-latest',
    'hunyuan-embedding',
    'hunyuan-lite',
    'hunyuan-standard',
    'hunyuan-standard-256K',
    'hunyuan-pro',
  ],
  ownedBy: 'tencent',
  keyHint: 'AppId|SecretId|SecretKey',
  chat,
  embeddings,
})
