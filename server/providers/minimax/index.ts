import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat } from './chat.ts'
import { embeddings } from './embeddings.ts'
import { images } from './images.ts'
import { speech } from './speech.ts'

/** Source: platform.minimaxi.com/document */
export const provider = defineProvider({
  type: 35,
  name: 'MiniMax',
  baseUrl: 'https://api.minimax.chat',
  models: [
    'MiniMax-M2',
    'MiniMax-M1',
    'MiniMax-Text-01',
    'abab6.5-chat',
    'abab6.5s-chat',
    'abab6-chat',
    'abab5.5-chat',
    'abab5.5s-chat',
  ],
  ownedBy: 'minimax',
  form: {
    notice: {
      zh: '密钥不能跨地区使用：国内为 https://api.minimaxi.com，国际为 https://api.minimax.io。',
      en: 'Keys do not cross regions: https://api.minimaxi.com in China, https://api.minimax.io elsewhere.',
    },
  },
  chat,
  embeddings,
  images,
  speech,
})
