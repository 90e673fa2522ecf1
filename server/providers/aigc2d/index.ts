import { balanceEndpoint } from '../../provider-kit/openai-compatible/operations.ts'
import { openaiReseller } from '../../provider-kit/openai-compatible/reseller.ts'

export const provider = openaiReseller({
  type: 13,
  name: 'AIGC2D',
  baseUrl: 'https://api.aigc2d.com',
  balance: balanceEndpoint({
    path: '/dashboard/billing/credit_grants',
    read: ({ total_available: amount }) =>
      typeof amount === 'number' ? { amount, currency: 'USD' } : undefined,
  }),
})
