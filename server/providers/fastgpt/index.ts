import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiModels } from '../../provider-kit/openai-compatible/openai-models.ts'
import { chat } from './chat.ts'

/** Applications over a knowledge base. Source: doc.fastgpt.io, "OpenAPI" */
export const provider = defineProvider({
  type: 22,
  name: 'FastGPT',
  baseUrl: 'https://fastgpt.run/api/openapi',
  models: openaiModels,
  ownedBy: 'openai',
  keyHint: 'APIKey-AppId',
  form: {
    baseUrlLabel: {
      zh: '私有部署地址，例如 https://fastgpt.run/api/openapi',
      en: 'Address of the deployment, e.g. https://fastgpt.run/api/openapi',
    },
    notice: {
      zh: '模型由应用决定，发送的模型名不起作用；用量按估算计费。',
      en: 'The application decides on the model, whatever name is sent; usage is estimated.',
    },
  },
  chat,
})
