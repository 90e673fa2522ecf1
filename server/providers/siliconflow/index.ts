import { objectOf, textOf } from '../../provider-kit/json.ts'
import { accountBalance } from '../../provider-kit/openai-compatible/account-balance.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleEmbeddings } from '../../provider-kit/openai-compatible/embeddings.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { defineProvider } from '../../provider-kit/provider.ts'
import { models } from './models.ts'

const deadKey = { codes: ['30001'] }

/** Source: docs.siliconflow.cn; code 30001 is an empty account. */
export const provider = defineProvider({
  type: 40,
  name: 'SiliconCloud',
  baseUrl: 'https://api.siliconflow.cn',
  models,
  ownedBy: 'siliconflow',
  chat: openaiCompatibleChat({ keeps: ['top_k'], refusesDeveloperRole: true, deadKey }),
  embeddings: openaiCompatibleEmbeddings({ deadKey }),
  listModels: openaiCompatibleModelList(),
  balance: accountBalance({
    path: '/v1/user/info',
    read({ code, data }) {
      const amount = textOf(objectOf(data).totalBalance)
      return code === 20_000 && amount ? { amount: Number(amount), currency: 'CNY' } : undefined
    },
  }),
})
