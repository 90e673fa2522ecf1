import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { drawingTasks } from '../../provider-kit/drawing-tasks.ts'
import models from './models.json'

/**
 * The same protocol with more actions: buttons, dialogs, face swaps. Source:
 * github.com/litter-coder/midjourney-proxy-plus
 */
export const provider = defineProvider({
  type: 5,
  name: 'Midjourney Proxy Plus',
  baseUrl: '',
  models,
  ownedBy: 'midjourney',
  keyHint: 'mj-api-secret',
  form: {
    baseUrl: 'required',
    notice: {
      zh: '请填写 Midjourney Proxy Plus 服务的地址，密钥为该服务的 mj-api-secret。',
      en: 'Enter the URL of the Midjourney Proxy Plus service. The key is its mj-api-secret.',
    },
  },
  task: drawingTasks(),
})
