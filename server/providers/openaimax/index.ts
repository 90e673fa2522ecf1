import { openaiReseller } from '../../provider-kit/openai-compatible/reseller.ts'

export const provider = openaiReseller({
  type: 6,
  name: 'OpenAIMax',
  baseUrl: 'https://api.openaimax.com',
})
