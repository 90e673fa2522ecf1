import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat } from './chat.ts'

/** Version 3 of the API, which Zhipu has retired; mirrors still serve it. For newer models, use type 26. */
export const provider = defineProvider({
  type: 16,
  name: 'Zhipu ChatGLM',
  nameZh: '智谱 ChatGLM',
  baseUrl: 'https://open.bigmodel.cn',
  models: ['chatglm_turbo', 'chatglm_pro', 'chatglm_std', 'chatglm_lite'],
  ownedBy: 'zhipu',
  keyHint: 'id.secret',
  form: {
    notice: {
      zh: '智谱已下线 V3 接口，此类型仅用于兼容的镜像地址；新模型请选择“智谱 GLM-4V”。',
      en: 'Zhipu has retired version 3. This type is for compatible mirrors only. For newer models, choose Zhipu GLM-4V.',
    },
  },
  chat,
})
