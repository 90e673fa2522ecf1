import { bearerHeaders, type ModelListAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, isObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/operations.ts'
import models from './models.json'
import { images, readCloudflareFailure, rerank, speech, transcription, workersUrl } from './run-adapters.ts'

const listModels: ModelListAdapter = {
  request: call => ({
    method: 'GET',
    url: workersUrl(call, '/models/search?per_page=1000'),
    headers: bearerHeaders(call),
  }),
  reply(json) {
    if (!isObject(json) || !Array.isArray(json.result))
      return { kind: 'failure', failure: readEmbeddedFailure(json) }
    const names = json.result.map(model => asString(asObject(model).name) ?? '')
    return { kind: 'reply', reply: names.filter(name => name !== '') }
  },
  failure: readCloudflareFailure,
}

export const provider = defineProvider({
  type: 39,
  name: 'Cloudflare',
  baseUrl: 'https://api.cloudflare.com',
  models,
  ownedBy: 'cloudflare',
  form: {
    other: {
      label: { zh: '账户 ID', en: 'Account ID' },
      placeholder: 'd6b5da8hk1awo8nap34ube6gh',
      isRequired: true,
    },
  },
  chat: {
    ...openaiCompatibleChat({ url: call => workersUrl(call, '/v1/chat/completions') }),
    failure: readCloudflareFailure,
  },
  embeddings: {
    ...openaiCompatibleEmbeddings({ url: call => workersUrl(call, '/v1/embeddings') }),
    failure: readCloudflareFailure,
  },
  images,
  speech,
  transcription,
  rerank,
  listModels,
})
