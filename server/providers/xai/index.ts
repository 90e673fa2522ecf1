import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleCompletions } from '../../provider-kit/openai-compatible/completions.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/embeddings.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/images.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { responsesNative } from '../../provider-kit/openai-responses/native.ts'
import { defineProvider } from '../../provider-kit/provider.ts'
import { models } from './models.ts'
import { toXaiBody } from './to-body.ts'
import { readXaiUsage } from './usage.ts'

const deadKey = { message: /^Incorrect API key|doesn't have any credits|run out of credits/ }

/** A refused key comes as a 400 and an empty account as a 403, told by the sentence only. Source: docs.x.ai */
export const provider = defineProvider({
  type: 48,
  name: 'xAI',
  genAiName: 'x_ai',
  baseUrl: 'https://api.x.ai',
  models,
  ownedBy: 'xai',
  chat: openaiCompatibleChat({
    adjust: toXaiBody,
    readUsage: readXaiUsage,
    isRewritten: true,
    deadKey,
  }),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages({ drop: ['size', 'quality', 'style'], deadKey }),
  native: { responses: responsesNative({ deadKey }) },
  completions: openaiCompatibleCompletions({ deadKey }),
  listModels: openaiCompatibleModelList(),
})
