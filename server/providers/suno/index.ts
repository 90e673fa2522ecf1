import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { task } from './task.ts'

/** A self-hosted bridge to Suno's songs and lyrics. Source: github.com/Suno-API/Suno-API */
export const provider = defineProvider({
  type: 36,
  name: 'Suno',
  baseUrl: '',
  models: ['suno_music', 'suno_lyrics'],
  ownedBy: 'suno',
  form: {
    baseUrl: 'required',
    notice: {
      zh: '请填写 Suno API 服务的地址，密钥为该服务的访问令牌。',
      en: 'Enter the URL of the Suno API service. The key is its token.',
    },
  },
  task,
})
