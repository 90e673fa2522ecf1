import { objectOf } from '../../provider-kit/json.ts'
import { accountBalance } from '../../provider-kit/openai-compatible/account-balance.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { openaiOperations } from '../../provider-kit/openai-compatible/openai-operations.ts'
import { toReasoningModelBody } from '../../provider-kit/openai-compatible/reasoning-models.ts'
import { defineProvider } from '../../provider-kit/provider.ts'

/** Resells OpenAI. Kept for channels that exist. */
export const provider = defineProvider({
  type: 10,
  name: 'AI Proxy',
  baseUrl: 'https://api.aiproxy.io',
  models: [],
  ownedBy: 'openai',
  chat: openaiCompatibleChat({ adjust: toReasoningModelBody }),
  ...openaiOperations,
  listModels: openaiCompatibleModelList(),
  balance: accountBalance({
    url: 'https://aiproxy.io/api/report/getUserOverview',
    headers: ({ channel }) => ({ 'api-key': channel.key }),
    read({ data }) {
      const { totalPoints: amount } = objectOf(data)
      return typeof amount === 'number' ? { amount, currency: 'USD' } : undefined
    },
  }),
})
