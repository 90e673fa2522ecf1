import { NO_USAGE } from '../../core/usage.ts'
import {
  bearerHeaders,
  type EmbeddingsAdapter,
  type ModelListAdapter,
} from '../../provider-kit/contract/operation-adapter.ts'
import { embeddingTexts } from '../../provider-kit/contract/operations.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asArray, asCount, asObject, asString, isObject } from '../../provider-kit/json.ts'
import { chat } from './chat.ts'

/** Source: github.com/ollama/ollama/blob/main/docs/api.md#generate-embeddings */
const embeddings: EmbeddingsAdapter = {
  request: call => ({
    url: `${call.channel.baseUrl}/api/embed`,
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      input: embeddingTexts(call.body),
      dimensions: call.body.dimensions ?? undefined,
    }),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.embeddings))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const vectors = json.embeddings.map(row => asArray(row).map(Number))
    const input = asCount(json.prompt_eval_count)
    const usage = input > 0 ? { ...NO_USAGE, input } : undefined
    return { kind: 'reply', reply: { model: asString(json.model), vectors }, usage }
  },
}

const listModels: ModelListAdapter = {
  request: call => ({ method: 'GET', url: `${call.channel.baseUrl}/api/tags`, headers: bearerHeaders(call) }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.models))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const names = json.models.map(model => asString(asObject(model).name) ?? '')
    return { kind: 'reply', reply: names.filter(name => name !== '') }
  },
}

export const provider = defineProvider({
  type: 4,
  name: 'Ollama',
  baseUrl: 'http://localhost:11434',
  models: ['llama3-7b'],
  ownedBy: 'ollama',
  form: {
    notice: {
      zh: 'Ollama 不需要密钥；如使用反向代理，密钥将以 Bearer 方式发送。图片仅支持 base64 格式。',
      en: 'Ollama requires no key. A reverse proxy in front of it receives the key as a bearer token. Images must be base64.',
    },
  },
  chat,
  embeddings,
  listModels,
})
