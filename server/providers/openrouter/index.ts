import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asObject, type JsonObject, omitNullish } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import {
  balanceEndpoint,
  openaiCompatibleCompletions,
  openaiCompatibleEmbeddings,
  openaiCompatibleModelList,
} from '../../provider-kit/openai-compatible/operations.ts'
import {
  findWebSearch,
  toSearchOptions,
  WEB_SEARCH_ONLY,
} from '../../provider-kit/openai-compatible/web-search.ts'
import { responsesNative } from '../../provider-kit/openai-responses/adapters.ts'

/** Offers the models of all providers, so the list is fetched instead of preset. Source: openrouter.ai/docs */
export const provider = defineProvider({
  type: 20,
  name: 'OpenRouter',
  popularity: 'popular',
  baseUrl: 'https://openrouter.ai/api',
  keyPattern: /^sk-or-[\w-]{20,}$/,
  models: [],
  ownedBy: 'openrouter',
  chat: openaiCompatibleChat({
    supportedExtensions: ['top_k', 'reasoning_content', 'cache_control'],
    adjust: withSearch,
    hostedTools: WEB_SEARCH_ONLY,
  }),
  native: { responses: responsesNative() },
  embeddings: openaiCompatibleEmbeddings(),
  completions: openaiCompatibleCompletions(),
  listModels: openaiCompatibleModelList(),
  balance: balanceEndpoint({
    path: '/v1/credits',
    read({ data }) {
      const { total_credits: bought, total_usage: used } = asObject(data)
      if (typeof bought !== 'number' || typeof used !== 'number') return undefined
      return { amount: bought - used, currency: 'USD' }
    },
  }),
})

/** Source: openrouter.ai/docs/guides/features/plugins/web-search */
function withSearch(body: JsonObject, call: AdapterCall<ChatBody>): JsonObject {
  const search = call.hostedTools && findWebSearch(call)
  if (!search) return body
  const { allowedDomains, blockedDomains } = search
  const plugin = {
    id: 'web',
    ...omitNullish({ include_domains: allowedDomains, exclude_domains: blockedDomains }),
  }
  return { ...body, plugins: [plugin], web_search_options: toSearchOptions(search) }
}
