import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import type { ChatAdapter, StreamReader } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { parseJson } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiModels } from '../../provider-kit/openai-compatible/openai-models.ts'

const plain = openaiCompatibleChat({
  rules: { rejectsDeveloperRole: true },
  adjust: body => ({ detail: false, ...body }),
  readUsage: () => undefined,
  isRewritten: true,
  revokedKey: { codes: ['514'], message: /^凭证错误$/ },
})

/** FastGPT reports invented usage, so usage is ignored and estimated instead. Source: doc.fastgpt.io, "OpenAPI" */
export const chat: ChatAdapter = {
  ...plain,
  stream(call) {
    const reader = plain.stream?.(call)
    if (!reader) throw new Error('the OpenAI-compatible adapter has no stream reader')
    return onlyContentEvents(reader)
  },
}

/** Applications with a knowledge base. Source: doc.fastgpt.io, "OpenAPI" */
export const provider = defineProvider({
  type: 22,
  name: 'FastGPT',
  hasDeployments: true,
  baseUrl: 'https://fastgpt.run/api/openapi',
  models: openaiModels,
  ownedBy: 'openai',
  keyHint: 'APIKey-AppId',
  form: {
    baseUrlLabel: {
      zh: '私有部署地址，例如 https://fastgpt.run/api/openapi',
      en: 'URL of the deployment, e.g. https://fastgpt.run/api/openapi',
    },
    notice: {
      zh: '模型由应用决定，请求中的模型名不生效。用量按估算计费。',
      en: 'The application determines the model, whichever model name is sent. Usage is estimated.',
    },
  },
  chat,
})

/** Events that hold chunks, including events without a name. The others report application steps. */
const CONTENT_EVENTS: ReadonlySet<string> = new Set(['', 'answer', 'fastAnswer'])

const onlyContentEvents = (reader: StreamReader<ChatChunk>): StreamReader<ChatChunk> => ({
  read(event) {
    const name = event.name ?? ''
    if (name === 'error') return [{ type: 'failure', failure: readEmbeddedFailure(parseJson(event.data)) }]
    return CONTENT_EVENTS.has(name) ? reader.read(event) : []
  },
  end: () => reader.end(),
})
