import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asObject, asString, type JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  balanceEndpoint,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import { THINKING_OFF } from '../../provider-kit/openai-compatible/rules.ts'
import type { ChatRules } from '../../provider-kit/rules/chat-rules.ts'
import models from './models.json'

/** First-generation models reject the tool choice `required`. */
export const toMoonshotBody = (body: JsonObject): JsonObject =>
  body.tool_choice === 'required' && asString(body.model)?.startsWith('moonshot-v1')
    ? { ...body, tool_choice: 'auto' }
    : body

/** Models that can switch their thinking off accept one value only of each sampling parameter. */
const SWITCHABLE = /^kimi-k(?:2\.[5-9]|[3-9])/

const moonshotRules = (model: string): ChatRules => ({
  names: { illegal: /[^\w-]/gu, lengthMax: 64, beginsWithLetter: true },
  rejectsDeveloperRole: true,
  stopsMax: 5,
  ...(SWITCHABLE.test(model) && {
    thoughtOfCalls: THINKING_OFF,
    rejects: ['temperature', 'top_p', 'n', 'presence_penalty', 'frequency_penalty'],
  }),
})

/** Source: platform.moonshot.cn/docs. The international platform is api.moonshot.ai, with accounts in US dollars. */
export const provider = defineProvider({
  type: 25,
  name: 'Moonshot',
  popularity: 'popular',
  baseUrl: 'https://api.moonshot.cn',
  catalogue: 'moonshot',
  models,
  ownedBy: 'moonshot',
  chat: openaiCompatibleChat({
    rules: moonshotRules,
    rename: { max_completion_tokens: 'max_tokens' },
    clamp: { temperature: [0, 1] },
    supportedExtensions: ['reasoning_content'],
    adjust: toMoonshotBody,
    // The client sends the arguments of a search back, as if it had executed it.
    hostedTools: [{ tool: 'web_search', isNativeOnly: true }],
    revokedKey: { codes: ['invalid_authentication_error', 'exceeded_current_quota_error'] },
  }),
  listModels: openaiCompatibleModelList(),
  balance: balanceEndpoint({
    path: '/v1/users/me/balance',
    read({ data }, { baseUrl }) {
      const { available_balance: amount } = asObject(data)
      const currency = new URL(baseUrl).hostname.endsWith('.ai') ? 'USD' : 'CNY'
      return typeof amount === 'number' ? { amount, currency } : undefined
    },
  }),
})
