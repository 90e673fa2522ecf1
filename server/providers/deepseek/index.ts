import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asArray, asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  balanceEndpoint,
  openaiCompatibleCompletions,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { THINKING_OFF } from '../../provider-kit/openai-compatible/rules.ts'

/** An account has one or two currencies; the balance in yuan takes precedence. Amounts are strings. */
const balance = balanceEndpoint({
  path: '/user/balance',
  read(json) {
    const accounts = asArray(json.balance_infos).map(asObject)
    const account = accounts.find(({ currency }) => currency === 'CNY') ?? accounts[0]
    const amount = asString(account?.total_balance)
    const currency = asString(account?.currency)
    return amount && currency ? { amount: Number(amount), currency } : undefined
  },
})

/** Source: api-docs.deepseek.com */
export const provider = defineProvider({
  type: 43,
  name: 'DeepSeek',
  popularity: 'popular',
  baseUrl: 'https://api.deepseek.com',
  catalogue: 'deepseek',
  models: ['deepseek-chat', 'deepseek-reasoner'],
  ownedBy: 'deepseek',
  chat: openaiCompatibleChat({
    path: '/chat/completions',
    rules: { rejectsDeveloperRole: true, stopsMax: 16, thoughtOfCalls: THINKING_OFF },
    rename: { max_completion_tokens: 'max_tokens' },
    supportedExtensions: ['reasoning_content'],
    adjust: withoutOtherReasoning,
  }),
  completions: openaiCompatibleCompletions({ path: '/beta/completions' }),
  listModels: openaiCompatibleModelList({ path: '/models' }),
  balance,
})

/**
 * Keeps reasoning only with tool calls, of all turns. Newer models require it there; older models reject it anywhere else.
 * Source: api-docs.deepseek.com/guides/thinking_mode
 */
export function withoutOtherReasoning(body: JsonObject): JsonObject {
  const messages = asArray(body.messages).map(asObject)
  return {
    ...body,
    messages: messages.map(message =>
      asArray(message.tool_calls).length > 0 ? message : withoutReasoning(message),
    ),
  }
}

function withoutReasoning(message: JsonObject): JsonObject {
  const { reasoning_content, reasoning_signature, ...rest } = message
  return rest
}
