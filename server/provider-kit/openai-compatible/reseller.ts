import { defineProvider, type Provider } from '../contract/provider.ts'
import { openaiCompatibleChat, toReasoningModelBody } from './chat.ts'
import { openaiCompatibleBalance, openaiCompatibleModelList, openaiOperations } from './operations.ts'
import { OPENAI_RULES } from './rules.ts'

type Reseller = Pick<Provider, 'type' | 'name' | 'baseUrl' | 'balance'>

/** A reseller of OpenAI, kept for existing channels. */
export const openaiReseller = (reseller: Reseller): Provider =>
  defineProvider({
    models: [],
    ownedBy: 'openai',
    chat: openaiCompatibleChat({ rules: OPENAI_RULES, adjust: toReasoningModelBody }),
    ...openaiOperations,
    listModels: openaiCompatibleModelList(),
    balance: openaiCompatibleBalance,
    ...reseller,
  })
