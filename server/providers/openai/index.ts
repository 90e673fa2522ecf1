import { openaiCompatibleBalance } from '../../provider-kit/openai-compatible/balance.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleModelList } from '../../provider-kit/openai-compatible/model-list.ts'
import { openaiModels } from '../../provider-kit/openai-compatible/openai-models.ts'
import { openaiOperations } from '../../provider-kit/openai-compatible/openai-operations.ts'
import { toReasoningModelBody } from '../../provider-kit/openai-compatible/reasoning-models.ts'
import { responsesNative } from '../../provider-kit/openai-responses/native.ts'
import { defineProvider } from '../../provider-kit/provider.ts'

export const provider = defineProvider({
  type: 1,
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  models: openaiModels,
  ownedBy: 'openai',
  form: { hasOrganization: true },
  chat: openaiCompatibleChat({ adjust: toReasoningModelBody }),
  ...openaiOperations,
  native: { responses: responsesNative() },
  listModels: openaiCompatibleModelList(),
  balance: openaiCompatibleBalance,
})
