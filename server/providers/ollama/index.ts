import { NO_USAGE } from '../../core/usage.ts'
import { embeddingTexts } from '../../provider-kit/embedding-texts.ts'
import { countOf, isObject, listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import {
  defineProvider,
  type EmbeddingsExchange,
  type ModelListExchange,
} from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { chat } from './chat.ts'

/** Source: github.com/ollama/ollama/blob/main/docs/api.md#generate-embeddings */
const embeddings: EmbeddingsExchange = {
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
      return { kind: 'failure', failure: readHiddenFailure(json) }
    const vectors = json.embeddings.map(row => listOf(row).map(Number))
    const input = countOf(json.prompt_eval_count)
    const usage = input > 0 ? { ...NO_USAGE, input } : undefined
    return { kind: 'reply', reply: { model: textOf(json.model), vectors }, usage }
  },
}

const listModels: ModelListExchange = {
  request: call => ({ method: 'GET', url: `${call.channel.baseUrl}/api/tags`, headers: bearerHeaders(call) }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.models))
      return { kind: 'failure', failure: readHiddenFailure(json) }
    const names = json.models.map(model => textOf(objectOf(model).name) ?? '')
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
      zh: 'Ollama 本身不需要密钥；前面有反向代理时，密钥以 Bearer 方式发送。图片只接受 base64。',
      en: 'Ollama itself wants no key; a proxy in front of it gets the key as a bearer token. Pictures are taken as base64 only.',
    },
  },
  chat,
  embeddings,
  listModels,
})
