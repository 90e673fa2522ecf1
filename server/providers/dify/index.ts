import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat } from './chat.ts'

/** Applications built with Dify. Each key belongs to one application. Source: docs.dify.ai/api-reference */
export const provider = defineProvider({
  type: 37,
  name: 'Dify',
  baseUrl: 'https://api.dify.ai',
  models: [],
  ownedBy: 'dify',
  keyHint: 'app-…',
  form: {
    notice: {
      zh: '模型由应用决定。模型名以 dify-workflow 开头的按工作流应用调用，以 dify-completion 开头的按文本生成应用调用，其余按聊天应用调用。',
      en: 'The application decides on the model. A name that begins with dify-workflow is asked as a workflow, with dify-completion as a text generator, any other as a chat.',
    },
  },
  chat,
})
