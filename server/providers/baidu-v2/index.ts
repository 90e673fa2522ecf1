import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleImages } from '../../provider-kit/openai-compatible/media.ts'
import {
  jinaCompatibleRerank,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { models } from './models.ts'
import { qianfanHeaders } from './qianfan-headers.ts'
import { toQianfanBody } from './to-body.ts'

const revokedKey = { codes: ['invalid_iam_token'] }

/** Source: cloud.baidu.com/doc/qianfan-api */
export const provider = defineProvider({
  type: 46,
  name: 'Baidu Qianfan V2',
  nameZh: '百度文心千帆V2',
  baseUrl: 'https://qianfan.baidubce.com',
  models,
  ownedBy: 'baidu',
  form: {
    notice: {
      zh: '密钥为 bce-v3/ALTAK-…；需要指定应用时写作 密钥|AppId。',
      en: 'The key is bce-v3/ALTAK-…; to name an application write key|AppId.',
    },
  },
  chat: openaiCompatibleChat({
    path: '/v2/chat/completions',
    headers: qianfanHeaders,
    rejectsDeveloperRole: true,
    clamp: { temperature: [0.01, 1] },
    adjust: toQianfanBody,
    revokedKey,
  }),
  embeddings: openaiCompatibleEmbeddings({ path: '/v2/embeddings', headers: qianfanHeaders, revokedKey }),
  images: openaiCompatibleImages({ path: '/v2/images/generations', headers: qianfanHeaders, revokedKey }),
  rerank: jinaCompatibleRerank({ path: '/v2/rerank', headers: qianfanHeaders, revokedKey }),
  listModels: openaiCompatibleModelList({ path: '/v2/models', headers: qianfanHeaders }),
})
