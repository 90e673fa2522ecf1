import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleCompletions,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { balance } from './balance.ts'
import { withoutOldReasoning } from './without-old-reasoning.ts'

/** Source: api-docs.deepseek.com */
export const provider = defineProvider({
  type: 43,
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  models: ['deepseek-chat', 'deepseek-reasoner'],
  ownedBy: 'deepseek',
  chat: openaiCompatibleChat({
    path: '/chat/completions',
    rejectsDeveloperRole: true,
    rename: { max_completion_tokens: 'max_tokens' },
    supportedExtensions: ['reasoning_content'],
    adjust: withoutOldReasoning,
  }),
  completions: openaiCompatibleCompletions({ path: '/beta/completions' }),
  listModels: openaiCompatibleModelList({ path: '/models' }),
  balance,
})
