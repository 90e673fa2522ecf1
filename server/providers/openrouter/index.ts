import { objectOf } from '../../provider-kit/json.ts'
import { accountBalance } from '../../provider-kit/openai-compatible/account-balance.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleCompletions } from '../../provider-kit/openai-compatible/completions.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/embeddings.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { responsesNative } from '../../provider-kit/openai-responses/native.ts'
import { defineProvider } from '../../provider-kit/provider.ts'

/** Knows the models of all vendors, so that none is offered at first: fetch the list. Source: openrouter.ai/docs */
export const provider = defineProvider({
  type: 20,
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  models: [],
  ownedBy: 'openrouter',
  chat: openaiCompatibleChat({ keeps: ['top_k', 'reasoning_content', 'cache_control'] }),
  native: { responses: responsesNative() },
  embeddings: openaiCompatibleEmbeddings(),
  completions: openaiCompatibleCompletions(),
  listModels: openaiCompatibleModelList(),
  balance: accountBalance({
    path: '/v1/credits',
    read({ data }) {
      const { total_credits: bought, total_usage: used } = objectOf(data)
      if (typeof bought !== 'number' || typeof used !== 'number') return undefined
      return { amount: bought - used, currency: 'USD' }
    },
  }),
})
