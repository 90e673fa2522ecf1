import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/operations.ts'

/** Embeddings only. Inputs are always a list. */
export const provider = defineProvider({
  type: 44,
  name: 'MokaAI',
  baseUrl: 'https://api.moka.ai',
  models: ['m3e-large', 'm3e-base', 'm3e-small'],
  ownedBy: 'mokaai',
  embeddings: openaiCompatibleEmbeddings({
    path: '/embeddings',
    only: ['model', 'input'],
    adjust: body => ({ ...body, input: [body.input].flat() }),
  }),
})
