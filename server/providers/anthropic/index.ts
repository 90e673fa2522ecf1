import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/operations.ts'
import { anthropicHeaders, chat, native, tokenCount } from './adapters.ts'

/** The initial models of a new channel. */
const models: readonly string[] = [
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-opus-4-5',
  'claude-opus-4-5-20251101',
  'claude-sonnet-4-5',
  'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5',
  'claude-haiku-4-5-20251001',
  'claude-opus-4-1-20250805',
  'claude-opus-4-20250514',
  'claude-sonnet-4-20250514',
  'claude-instant-1.2',
  'claude-2',
  'claude-2.0',
  'claude-2.1',
  'claude-3-sonnet-20240229',
  'claude-3-opus-20240229',
  'claude-3-haiku-20240307',
  'claude-3-5-haiku-20241022',
  'claude-3-5-sonnet-20240620',
  'claude-3-5-sonnet-20241022',
  'claude-3-7-sonnet-20250219',
  'claude-3-7-sonnet-20250219-thinking',
]

export const provider = defineProvider({
  type: 14,
  name: 'Anthropic Claude',
  popularity: 'popular',
  genAiName: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  models,
  ownedBy: 'claude',
  chat,
  native: { anthropic: native },
  tokenCount: { anthropic: tokenCount },
  listModels: openaiCompatibleModelList({ path: '/v1/models?limit=1000', headers: anthropicHeaders }),
})
