import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleImageEdits,
  openaiCompatibleImages,
  openaiCompatibleSpeech,
  openaiCompatibleTranscription,
  openaiCompatibleTranslation,
} from '../../provider-kit/openai-compatible/media.ts'
import { openaiModels } from '../../provider-kit/openai-compatible/openai-models.ts'
import {
  openaiCompatibleCompletions,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
  openaiCompatibleRealtime,
} from '../../provider-kit/openai-compatible/operations.ts'
import { OPENAI_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import { documentedVoices, openaiVoices } from '../../provider-kit/openai-compatible/voices.ts'
import { responsesNative } from '../../provider-kit/openai-responses/adapters.ts'
import { OPENAI_TOOLS } from '../../provider-kit/openai-responses/hosted-tools.ts'
import {
  API_VERSION_DEFAULT,
  azureHeaders,
  azureModelsUrl,
  azureRealtimeUrl,
  azureResponsesUrl,
  azureUrl,
  toAzureBody,
} from './transport.ts'

export const provider = defineProvider({
  type: 3,
  name: 'Azure OpenAI',
  hasDeployments: true,
  popularity: 'popular',
  genAiName: 'azure.ai.openai',
  baseUrl: '',
  models: openaiModels,
  ownedBy: 'openai',
  form: {
    baseUrl: 'required',
    baseUrlLabel: {
      zh: 'AZURE_OPENAI_ENDPOINT，例如 https://example.openai.azure.com',
      en: 'AZURE_OPENAI_ENDPOINT, e.g. https://example.openai.azure.com',
    },
    other: {
      label: { zh: '默认 API 版本', en: 'API version' },
      placeholder: API_VERSION_DEFAULT,
      defaultValue: API_VERSION_DEFAULT,
    },
    notice: {
      zh: '部署名称须与请求的模型名一致（gpt-3.5 写作 gpt-35），不一致时请使用模型映射。2024-09-01-preview 之前的版本在流式响应中不返回用量，将按估算计费。',
      en: 'The deployment must have the name of the requested model (gpt-35 for gpt-3.5); otherwise use model mapping. Versions before 2024-09-01-preview report no usage in streams, so it is estimated.',
    },
  },
  chat: {
    ...openaiCompatibleChat({
      url: azureUrl('chat/completions'),
      headers: azureHeaders,
      rules: OPENAI_RULES,
      adjust: toAzureBody,
    }),
    // Only later API versions have the Responses API, so requests of other dialects stay with chat completions.
    hostedTools: OPENAI_TOOLS.map(support => ({ ...support, isNativeOnly: true })),
  },
  native: { responses: responsesNative({ url: azureResponsesUrl, headers: azureHeaders }) },
  embeddings: openaiCompatibleEmbeddings({ url: azureUrl('embeddings'), headers: azureHeaders }),
  images: openaiCompatibleImages({ url: azureUrl('images/generations'), headers: azureHeaders }),
  imageEdits: openaiCompatibleImageEdits({ url: azureUrl('images/edits'), headers: azureHeaders }),
  speech: openaiCompatibleSpeech({ url: azureUrl('audio/speech'), headers: azureHeaders }),
  voices: documentedVoices(openaiVoices),
  transcription: openaiCompatibleTranscription({
    url: azureUrl('audio/transcriptions'),
    headers: azureHeaders,
  }),
  translation: openaiCompatibleTranslation({ url: azureUrl('audio/translations'), headers: azureHeaders }),
  realtime: openaiCompatibleRealtime({ url: azureRealtimeUrl, headers: azureHeaders }),
  completions: openaiCompatibleCompletions({
    url: azureUrl('completions'),
    headers: azureHeaders,
    serves: model => /-instruct|davinci|babbage/.test(model),
  }),
  listModels: openaiCompatibleModelList({ url: azureModelsUrl, headers: azureHeaders }),
})
