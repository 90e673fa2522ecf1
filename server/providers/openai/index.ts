import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { openaiCompatibleChat, toReasoningModelBody } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiModels } from '../../provider-kit/openai-compatible/openai-models.ts'
import {
  openaiCompatibleBalance,
  openaiCompatibleModelList,
  openaiOperations,
} from '../../provider-kit/openai-compatible/operations.ts'
import { OPENAI_RULES } from '../../provider-kit/openai-compatible/rules.ts'
import { responsesNative, responsesTokenCount } from '../../provider-kit/openai-responses/adapters.ts'
import { chatWithHostedTools } from '../../provider-kit/openai-responses/chat-with-tools.ts'
import { OPENAI_TOOLS } from '../../provider-kit/openai-responses/hosted-tools.ts'

export const provider = defineProvider({
  type: 1,
  name: 'OpenAI',
  popularity: 'popular',
  baseUrl: 'https://api.openai.com',
  keyPattern: /^sk-(proj|svcacct|admin)-[\w-]{20,}$|^sk-\w{20}T3BlbkFJ\w{20}$/,
  catalogue: 'openai',
  models: openaiModels,
  ownedBy: 'openai',
  form: { hasOrganization: true },
  chat: chatWithHostedTools(openaiCompatibleChat({ rules: OPENAI_RULES, adjust: toReasoningModelBody }), {
    hostedTools: OPENAI_TOOLS,
    rules: OPENAI_RULES,
    adjust: toReasoningModelBody,
    include: ['web_search_call.action.sources'],
  }),
  ...openaiOperations,
  native: { responses: responsesNative() },
  tokenCount: { responses: responsesTokenCount },
  listModels: openaiCompatibleModelList(),
  balance: openaiCompatibleBalance,
})
