import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat, toReasoningModelBody } from '../../provider-kit/openai-compatible/chat.ts'
import {
  openaiCompatibleBalance,
  openaiCompatibleModelList,
  openaiOperations,
} from '../../provider-kit/openai-compatible/operations.ts'
import { OPENAI_RULES } from '../../provider-kit/openai-compatible/rules.ts'

/** A reseller of OpenAI, kept for existing channels. */
export const provider = defineProvider({
  type: 6,
  name: 'OpenAIMax',
  baseUrl: 'https://api.openaimax.com',
  models: [],
  ownedBy: 'openai',
  chat: openaiCompatibleChat({ rules: OPENAI_RULES, adjust: toReasoningModelBody }),
  ...openaiOperations,
  listModels: openaiCompatibleModelList(),
  balance: openaiCompatibleBalance,
})
