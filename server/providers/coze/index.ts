import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { chat } from './chat.ts'

/** Bots built with Coze, through version 3 of its API. Source: coze.com/docs/developer_guides/chat_v3 */
export const provider = defineProvider({
  type: 49,
  name: 'Coze',
  hasDeployments: true,
  baseUrl: 'https://api.coze.cn',
  models: [],
  ownedBy: 'coze',
  keyHint: 'pat_…',
  keyPattern: /^pat_\w{20,}$/,
  form: {
    other: { label: { zh: '智能体 ID', en: 'Bot ID' }, placeholder: '7342866812345' },
    notice: {
      zh: '国际站请填写 https://api.coze.com。也可在模型名中指定智能体：bot-7342866812345。',
      en: 'International accounts use https://api.coze.com. The model name may also select the bot: bot-7342866812345.',
    },
  },
  chat,
})
