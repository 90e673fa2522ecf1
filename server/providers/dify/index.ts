import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat } from './chat.ts'

/** Applications built with Dify. Each key belongs to one application. Source: docs.dify.ai/api-reference */
export const provider = defineProvider({
  type: 37,
  name: 'Dify',
  hasDeployments: true,
  baseUrl: 'https://api.dify.ai',
  models: [],
  ownedBy: 'dify',
  keyHint: 'app-…',
  keyPattern: /^app-\w{20,}$/,
  form: {
    notice: {
      zh: '模型由应用决定。模型名以 dify-workflow 开头时按工作流应用调用，以 dify-completion 开头时按文本生成应用调用，其他按聊天应用调用。',
      en: 'The application determines the model. Model names that start with dify-workflow call a workflow, names that start with dify-completion a text generator, and all others a chat application.',
    },
  },
  chat,
})
