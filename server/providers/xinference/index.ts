import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleImageEdits,
  openaiCompatibleImages,
  openaiCompatibleImageVariations,
  openaiCompatibleSpeech,
  openaiCompatibleTranscription,
  openaiCompatibleTranslation,
} from '../../provider-kit/openai-compatible/media.ts'
import {
  createRerankAdapter,
  openaiCompatibleCompletions,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { openaiCompatibleVoices } from '../../provider-kit/openai-compatible/voices.ts'

/** Self-hosted models. Source: inference.readthedocs.io */
export const provider = defineProvider({
  type: 47,
  name: 'Xinference',
  baseUrl: '',
  models: ['bge-reranker-v2-m3', 'jina-reranker-v2'],
  ownedBy: 'xinference',
  form: {
    baseUrl: 'required',
    notice: {
      zh: '请填写服务地址，例如 http://localhost:9997。未启用认证时，密钥可任意填写。',
      en: 'Enter the URL of the server, e.g. http://localhost:9997. Without authentication, any key works.',
    },
  },
  chat: openaiCompatibleChat({
    supportedExtensions: ['reasoning_content'],
    rules: { rejectsDeveloperRole: true },
  }),
  embeddings: openaiCompatibleEmbeddings(),
  images: openaiCompatibleImages(),
  imageEdits: openaiCompatibleImageEdits(),
  imageVariations: openaiCompatibleImageVariations(),
  speech: openaiCompatibleSpeech(),
  voices: openaiCompatibleVoices,
  transcription: openaiCompatibleTranscription(),
  translation: openaiCompatibleTranslation(),
  rerank: createRerankAdapter(),
  completions: openaiCompatibleCompletions(),
  listModels: openaiCompatibleModelList(),
})
