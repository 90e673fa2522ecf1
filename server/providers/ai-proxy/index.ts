import { asObject } from '../../provider-kit/json.ts'
import { balanceEndpoint } from '../../provider-kit/openai-compatible/operations.ts'
import { openaiReseller } from '../../provider-kit/openai-compatible/reseller.ts'

export const provider = openaiReseller({
  type: 10,
  name: 'AI Proxy',
  baseUrl: 'https://api.aiproxy.io',
  balance: balanceEndpoint({
    url: 'https://aiproxy.io/api/report/getUserOverview',
    headers: ({ channel }) => ({ 'api-key': channel.key }),
    read({ data }) {
      const { totalPoints: amount } = asObject(data)
      return typeof amount === 'number' ? { amount, currency: 'USD' } : undefined
    },
  }),
})
