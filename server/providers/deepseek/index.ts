import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleCompletions } from '../../provider-kit/openai-compatible/completions.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { defineProvider } from '../../provider-kit/provider.ts'
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
    refusesDeveloperRole: true,
    rename: { max_completion_tokens: 'max_tokens' },
    keeps: ['reasoning_content'],
    adjust: withoutOldReasoning,
  }),
  completions: openaiCompatibleCompletions({ path: '/beta/completions' }),
  listModels: openaiCompatibleModelList({ path: '/models' }),
  balance,
})
