import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat, toReasoningModelBody } from '../../provider-kit/openai-compatible/chat.ts'
import {
  balanceEndpoint,
  openaiCompatibleModelList,
  openaiOperations,
} from '../../provider-kit/openai-compatible/operations.ts'
import { OPENAI_RULES } from '../../provider-kit/openai-compatible/rules.ts'

/** A reseller of OpenAI, kept for existing channels. */
export const provider = defineProvider({
  type: 13,
  name: 'AIGC2D',
  baseUrl: 'https://api.aigc2d.com',
  models: [],
  ownedBy: 'openai',
  chat: openaiCompatibleChat({ rules: OPENAI_RULES, adjust: toReasoningModelBody }),
  ...openaiOperations,
  listModels: openaiCompatibleModelList(),
  balance: balanceEndpoint({
    path: '/dashboard/billing/credit_grants',
    read: ({ total_available: amount }) =>
      typeof amount === 'number' ? { amount, currency: 'USD' } : undefined,
  }),
})
