import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { withTurnsMerged } from './merge-turns.ts'
import { readPerplexityUsage } from './usage.ts'

/** Knows no tools. Source: docs.perplexity.ai/api-reference/chat-completions-post */
export const provider = defineProvider({
  type: 27,
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  models: [
    'sonar',
    'sonar-pro',
    'sonar-reasoning-pro',
    'sonar-deep-research',
    'llama-3-sonar-small-32k-chat',
    'llama-3-sonar-small-32k-online',
    'llama-3-sonar-large-32k-chat',
    'llama-3-sonar-large-32k-online',
    'llama-3-8b-instruct',
    'llama-3-70b-instruct',
    'mixtral-8x7b-instruct',
  ],
  ownedBy: 'perplexity',
  chat: openaiCompatibleChat({
    path: '/chat/completions',
    only: [
      'model',
      'messages',
      'stream',
      'temperature',
      'top_p',
      'top_k',
      'max_tokens',
      'max_completion_tokens',
      'presence_penalty',
      'frequency_penalty',
      'response_format',
      'reasoning_effort',
      'search_domain_filter',
      'search_recency_filter',
      'search_mode',
      'web_search_options',
      'return_images',
      'return_related_questions',
      'disable_search',
    ],
    rename: { max_completion_tokens: 'max_tokens' },
    clamp: { top_p: [0, 0.99] },
    rejectsStreamOptions: true,
    rejectsDeveloperRole: true,
    adjust: withTurnsMerged,
    readUsage: readPerplexityUsage,
  }),
})
