import type { JsonObject } from '../../provider-kit/chat.ts'
import { objectOf, textOf } from '../../provider-kit/json.ts'
import { accountBalance } from '../../provider-kit/openai-compatible/account-balance.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleCompletions } from '../../provider-kit/openai-compatible/completions.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/embeddings.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/images.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { commonRerank } from '../../provider-kit/openai-compatible/rerank.ts'
import { openaiCompatibleSpeech } from '../../provider-kit/openai-compatible/speech.ts'
import { openaiCompatibleTranscription } from '../../provider-kit/openai-compatible/transcription.ts'
import { defineProvider } from '../../provider-kit/provider.ts'
import { models } from './models.ts'

const deadKey = { codes: ['30001'] }

/** A voice is named with its model: `fishaudio/fish-speech-1.5:alex`. */
const withVoiceOfModel = (body: JsonObject): JsonObject =>
  typeof body.voice === 'string' && !body.voice.includes(':')
    ? { ...body, voice: `${body.model}:${body.voice}` }
    : body

/** Source: docs.siliconflow.cn; code 30001 is an empty account. */
export const provider = defineProvider({
  type: 40,
  name: 'SiliconCloud',
  baseUrl: 'https://api.siliconflow.cn',
  models,
  ownedBy: 'siliconflow',
  chat: openaiCompatibleChat({ keeps: ['top_k'], refusesDeveloperRole: true, deadKey }),
  embeddings: openaiCompatibleEmbeddings({ deadKey }),
  images: openaiCompatibleImages({
    rename: { size: 'image_size', n: 'batch_size' },
    drop: ['quality', 'style', 'response_format', 'user'],
    deadKey,
  }),
  speech: openaiCompatibleSpeech({ adjust: withVoiceOfModel, deadKey }),
  transcription: openaiCompatibleTranscription({ isJsonOnly: true, deadKey }),
  rerank: commonRerank({ deadKey }),
  completions: openaiCompatibleCompletions({ deadKey }),
  listModels: openaiCompatibleModelList(),
  balance: accountBalance({
    path: '/v1/user/info',
    read({ code, data }) {
      const amount = textOf(objectOf(data).totalBalance)
      return code === 20_000 && amount ? { amount: Number(amount), currency: 'CNY' } : undefined
    },
  }),
})
