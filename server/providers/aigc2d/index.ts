import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat, toReasoningModelBody } from '../../provider-kit/openai-compatible/chat.ts'
import {
  balanceEndpoint,
  openaiCompatibleModelList,
  openaiOperations,
} from '../../provider-kit/openai-compatible/operations.ts'

/** A reseller of OpenAI, kept for existing channels. */
export const provider = defineProvider({
  type: 13,
  name: 'AIGC2D',
  baseUrl: 'https://api.aigc2d.com',
  models: [],
  ownedBy: 'openai',
  chat: openaiCompatibleChat({ adjust: toReasoningModelBody }),
  ...openaiOperations,
  listModels: openaiCompatibleModelList(),
  balance: balanceEndpoint({
    path: '/dashboard/billing/credit_grants',
    read: ({ total_available: amount }) =>
      typeof amount === 'number' ? { amount, currency: 'USD' } : undefined,
  }),
})
