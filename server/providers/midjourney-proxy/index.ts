import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { drawingTasks } from '../../provider-kit/drawing-tasks.ts'

/** A self-hosted bridge to Midjourney on Discord. Source: github.com/novicezk/midjourney-proxy */
export const provider = defineProvider({
  type: 2,
  name: 'Midjourney Proxy',
  baseUrl: '',
  models: ['mj_imagine', 'mj_variation', 'mj_reroll', 'mj_blend', 'mj_upscale', 'mj_describe', 'mj_upload'],
  ownedBy: 'midjourney',
  keyHint: 'mj-api-secret',
  form: {
    baseUrl: 'required',
    notice: {
      zh: '请填写 Midjourney Proxy 服务的地址，密钥为该服务的 mj-api-secret。',
      en: 'Enter the URL of the Midjourney Proxy service. The key is its mj-api-secret.',
    },
  },
  task: drawingTasks(),
})
