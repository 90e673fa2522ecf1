import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/media.ts'
import {
  openaiCompatibleCompletions,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { responsesNative } from '../../provider-kit/openai-responses/adapters.ts'
import { models } from './models.ts'
import { toXaiBody } from './to-body.ts'
import { readXaiUsage } from './usage.ts'

const revokedKey = { message: /^Incorrect API key|doesn't have any credits|run out of credits/ }

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
    revokedKey,
  }),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages({ drop: ['size', 'quality', 'style'], revokedKey }),
  native: { responses: responsesNative({ revokedKey }) },
  completions: openaiCompatibleCompletions({ revokedKey }),
  listModels: openaiCompatibleModelList(),
})
