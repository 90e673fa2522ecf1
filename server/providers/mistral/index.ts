import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleTranscription } from '../../provider-kit/openai-compatible/media.ts'
import {
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
  openaiCompatibleModeration,
} from '../../provider-kit/openai-compatible/operations.ts'
import { toMistralBody } from './to-body.ts'

/** Rejects unknown fields. Source: docs.mistral.ai/api */
export const provider = defineProvider({
  type: 42,
  name: 'Mistral',
  genAiName: 'mistral_ai',
  baseUrl: 'https://api.mistral.ai',
  models: [
    'codestral-latest',
    'magistral-medium-latest',
    'open-mistral-7b',
    'open-mixtral-8x7b',
    'mistral-small-latest',
    'mistral-medium-latest',
    'mistral-large-latest',
    'mistral-embed',
  ],
  ownedBy: 'mistral',
  chat: openaiCompatibleChat({
    only: [
      'model',
      'messages',
      'stream',
      'temperature',
      'top_p',
      'max_tokens',
      'max_completion_tokens',
      'stop',
      'seed',
      'random_seed',
      'n',
      'presence_penalty',
      'frequency_penalty',
      'response_format',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'prediction',
      'prompt_mode',
      'safe_prompt',
    ],
    rename: { seed: 'random_seed', max_completion_tokens: 'max_tokens' },
    clamp: { temperature: [0, 1.5] },
    rejectsStreamOptions: true,
    rejectsDeveloperRole: true,
    adjust: toMistralBody,
    isRewritten: true,
  }),
  embeddings: openaiCompatibleEmbeddings({
    only: ['model', 'input', 'dimensions', 'output_dimension', 'output_dtype'],
    rename: { dimensions: 'output_dimension' },
  }),
  transcription: openaiCompatibleTranscription({
    only: ['model', 'file', 'language', 'temperature', 'timestamp_granularities', 'stream'],
    isJsonOnly: true,
  }),
  moderation: openaiCompatibleModeration(),
  listModels: openaiCompatibleModelList(),
})
