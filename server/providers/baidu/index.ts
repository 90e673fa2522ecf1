import type { EmbeddingsAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, isObject } from '../../provider-kit/json.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { chat } from './chat.ts'
import models from './models.json'
import { askForToken, JSON_HEADERS, readWenxinError, readWenxinFailure, wenxinUrl } from './transport.ts'

/** Source: cloud.baidu.com/doc/WENXINWORKSHOP/s/alj562vvu */
const embeddings: EmbeddingsAdapter = {
  request: call => ({
    url: wenxinUrl(call),
    headers: JSON_HEADERS,
    body: JSON.stringify({ input: embeddingTexts(call.body) }),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.data))
      return { kind: 'failure', failure: readWenxinError(json) ?? readEmbeddedFailure(json) }
    const rows = json.data.map(asObject).sort((a, b) => asCount(a.index) - asCount(b.index))
    const vectors = rows.map(row => asArray(row.embedding).map(Number))
    return { kind: 'reply', reply: { vectors }, usage: readOpenaiUsage(json.usage) }
  },
  failure: readWenxinFailure,
}

export const provider = defineProvider({
  type: 15,
  name: 'Baidu Wenxin',
  nameZh: '百度文心千帆',
  baseUrl: 'https://aip.baidubce.com',
  models,
  ownedBy: 'baidu',
  keyHint: 'APIKey|SecretKey',
  chat,
  embeddings,
  credential: askForToken,
})
