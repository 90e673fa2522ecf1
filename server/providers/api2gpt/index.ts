import { balanceEndpoint } from '../../provider-kit/openai-compatible/operations.ts'
import { openaiReseller } from '../../provider-kit/openai-compatible/reseller.ts'

export const provider = openaiReseller({
  type: 12,
  name: 'API2GPT',
  baseUrl: 'https://api.api2gpt.com',
  balance: balanceEndpoint({
    path: '/dashboard/billing/credit_grants',
    read: ({ total_remaining: amount }) =>
      typeof amount === 'number' ? { amount, currency: 'USD' } : undefined,
  }),
})
