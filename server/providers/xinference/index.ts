import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleCompletions } from '../../provider-kit/openai-compatible/completions.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/embeddings.ts'
import {
  openaiCompatibleImageEdits,
  openaiCompatibleImages,
} from '../../provider-kit/openai-compatible/images.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { commonRerank } from '../../provider-kit/openai-compatible/rerank.ts'
import { openaiCompatibleSpeech } from '../../provider-kit/openai-compatible/speech.ts'
import {
  openaiCompatibleTranscription,
  openaiCompatibleTranslation,
} from '../../provider-kit/openai-compatible/transcription.ts'
import { defineProvider } from '../../provider-kit/provider.ts'

/** Models on machines of one's own. Source: inference.readthedocs.io */
export const provider = defineProvider({
  type: 47,
  name: 'Xinference',
  baseUrl: '',
  models: ['bge-reranker-v2-m3', 'jina-reranker-v2'],
  ownedBy: 'xinference',
  form: {
    baseUrl: 'required',
    notice: {
      zh: '填写服务地址，例如 http://localhost:9997；未启用认证时密钥可任意填写。',
      en: 'Give the address of the server, e.g. http://localhost:9997; without authentication any key will do.',
    },
  },
  chat: openaiCompatibleChat({ refusesDeveloperRole: true }),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages(),
  imageEdits: openaiCompatibleImageEdits(),
  speech: openaiCompatibleSpeech(),
  transcription: openaiCompatibleTranscription(),
  translation: openaiCompatibleTranslation(),
  rerank: commonRerank(),
  completions: openaiCompatibleCompletions(),
  listModels: openaiCompatibleModelList(),
})
