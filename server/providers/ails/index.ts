import { openaiReseller } from '../../provider-kit/openai-compatible/reseller.ts'

export const provider = openaiReseller({
  type: 9,
  name: 'AILS',
  baseUrl: 'https://api.caipacity.com',
})
