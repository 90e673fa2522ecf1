import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/embeddings.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/images.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { commonRerank } from '../../provider-kit/openai-compatible/rerank.ts'
import { openaiCompatibleSpeech } from '../../provider-kit/openai-compatible/speech.ts'
import { openaiCompatibleTranscription } from '../../provider-kit/openai-compatible/transcription.ts'
import { defineProvider } from '../../provider-kit/provider.ts'
import { toZhipuBody } from './to-body.ts'

const deadKey = { codes: ['1000', '1001', '1002', '1003', '1004', '1113'] }

/** Source: docs.bigmodel.cn; 1000 to 1004 refuse the key, 1113 is an empty account. */
export const provider = defineProvider({
  type: 26,
  name: 'Zhipu GLM-4V',
  nameZh: '智谱 GLM-4V',
  baseUrl: 'https://open.bigmodel.cn',
  models: [
    'glm-4.6',
    'glm-4.5',
    'glm-4.5-air',
    'glm-4.5v',
    'glm-4.5-flash',
    'glm-4',
    'glm-4v',
    'glm-3-turbo',
    'glm-4-alltools',
    'glm-4-plus',
    'glm-4-0520',
    'glm-4-air',
    'glm-4-airx',
    'glm-4-long',
    'glm-4-flash',
    'glm-4v-plus',
  ],
  ownedBy: 'zhipu_4v',
  chat: openaiCompatibleChat({
    path: '/api/paas/v4/chat/completions',
    refusesDeveloperRole: true,
    rename: { max_completion_tokens: 'max_tokens', user: 'user_id' },
    drop: ['presence_penalty', 'frequency_penalty', 'logit_bias'],
    clamp: { temperature: [0, 1], top_p: [0.01, 0.99] },
    keeps: ['reasoning_content'],
    adjust: toZhipuBody,
    deadKey,
  }),
  embeddings: openaiCompatibleEmbeddings({ path: '/api/paas/v4/embeddings', deadKey }),
  images: openaiCompatibleImages({
    path: '/api/paas/v4/images/generations',
    rename: { user: 'user_id' },
    drop: ['n', 'style', 'response_format'],
    deadKey,
  }),
  speech: openaiCompatibleSpeech({ path: '/api/paas/v4/audio/speech', deadKey }),
  transcription: openaiCompatibleTranscription({
    path: '/api/paas/v4/audio/transcriptions',
    isJsonOnly: true,
    deadKey,
  }),
  rerank: commonRerank({ path: '/api/paas/v4/rerank', deadKey }),
  listModels: openaiCompatibleModelList({ path: '/api/paas/v4/models' }),
})
