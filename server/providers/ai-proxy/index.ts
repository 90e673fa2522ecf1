import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat, toReasoningModelBody } from '../../provider-kit/openai-compatible/chat.ts'
import {
  balanceEndpoint,
  openaiCompatibleModelList,
  openaiOperations,
} from '../../provider-kit/openai-compatible/operations.ts'
import { OPENAI_RULES } from '../../provider-kit/openai-compatible/rules.ts'

/** A reseller of OpenAI, kept for existing channels. */
export const provider = defineProvider({
  type: 10,
  name: 'AI Proxy',
  baseUrl: 'https://api.aiproxy.io',
  models: [],
  ownedBy: 'openai',
  chat: openaiCompatibleChat({ rules: OPENAI_RULES, adjust: toReasoningModelBody }),
  ...openaiOperations,
  listModels: openaiCompatibleModelList(),
  balance: balanceEndpoint({
    url: 'https://aiproxy.io/api/report/getUserOverview',
    headers: ({ channel }) => ({ 'api-key': channel.key }),
    read({ data }) {
      const { totalPoints: amount } = asObject(data)
      return typeof amount === 'number' ? { amount, currency: 'USD' } : undefined
    },
  }),
})
