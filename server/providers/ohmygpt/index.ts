import { openaiReseller } from '../../provider-kit/openai-compatible/reseller.ts'

export const provider = openaiReseller({
  type: 7,
  name: 'OhMyGPT',
  baseUrl: 'https://api.ohmygpt.com',
})
