import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleImages,
  openaiCompatibleSpeech,
  openaiCompatibleTranscription,
} from '../../provider-kit/openai-compatible/media.ts'
import {
  balanceEndpoint,
  createRerankAdapter,
  openaiCompatibleCompletions,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { documentedVoices, toVoices } from '../../provider-kit/openai-compatible/voices.ts'
import models from './models.json'

const revokedKey = { codes: ['30001'] }

/** A voice name includes its model: `fishaudio/fish-speech-1.5:alex`. */
const withVoiceOfModel = (body: JsonObject): JsonObject =>
  typeof body.voice === 'string' && !body.voice.includes(':')
    ? { ...body, voice: `${body.model}:${body.voice}` }
    : body

const SPEECH_MODEL = /CosyVoice|TTS|fish-speech/

/** Source: docs.siliconflow.cn/en/userguide/capabilities/text-to-speech */
const VOICES = toVoices(['alex', 'anna', 'bella', 'benjamin', 'charles', 'claire', 'david', 'diana'])

/** Source: docs.siliconflow.cn. Code 30001 is an empty account. */
export const provider = defineProvider({
  type: 40,
  name: 'SiliconCloud',
  baseUrl: 'https://api.siliconflow.cn',
  models,
  ownedBy: 'siliconflow',
  chat: openaiCompatibleChat({
    supportedExtensions: ['top_k', 'reasoning_content'],
    rules: { rejectsDeveloperRole: true },
    revokedKey,
  }),
  embeddings: openaiCompatibleEmbeddings({ revokedKey }),
  images: openaiCompatibleImages({
    rename: { size: 'image_size', n: 'batch_size' },
    drop: ['quality', 'style', 'response_format', 'user'],
    revokedKey,
  }),
  speech: openaiCompatibleSpeech({ adjust: withVoiceOfModel, revokedKey }),
  voices: documentedVoices(model => (SPEECH_MODEL.test(model) ? VOICES : [])),
  transcription: openaiCompatibleTranscription({ isJsonOnly: true, revokedKey }),
  rerank: createRerankAdapter({ revokedKey }),
  completions: openaiCompatibleCompletions({ revokedKey }),
  listModels: openaiCompatibleModelList(),
  balance: balanceEndpoint({
    path: '/v1/user/info',
    read({ code, data }) {
      const amount = asString(asObject(data).totalBalance)
      return code === 20_000 && amount ? { amount: Number(amount), currency: 'CNY' } : undefined
    },
  }),
})
