import { bearerHeaders, type ModelListAdapter } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, isObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/operations.ts'
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

/** The initial models of a new channel. */
const models: readonly string[] = [
  '@cf/openai/gpt-oss-120b',
  '@cf/openai/gpt-oss-20b',
  '@cf/meta/llama-4-scout-17b-16e-instruct',
  '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
  '@cf/meta/llama-3.1-8b-instruct',
  '@cf/meta/llama-3-8b-instruct',
  '@cf/meta/llama-2-7b-chat-fp16',
  '@cf/mistralai/mistral-small-3.1-24b-instruct',
  '@cf/mistral/mistral-7b-instruct-v0.1',
  '@cf/google/gemma-3-12b-it',
  '@cf/qwen/qwq-32b',
  '@cf/deepseek-ai/deepseek-r1-distill-qwen-32b',
  '@cf/baai/bge-m3',
]

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
