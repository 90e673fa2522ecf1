import type { Usage } from '../../core/usage.ts'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { defineProvider } from '../../provider-kit/contract/provider.ts'
import {
  asArray,
  asCount,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitNullish,
} from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { readOpenaiUsage } from '../../provider-kit/openai-compatible/chat-response.ts'
import { findWebSearch, WEB_SEARCH_ONLY } from '../../provider-kit/openai-compatible/web-search.ts'
import fields from './fields.json'
import models from './models.json'

/** Does not support tools. Source: docs.perplexity.ai/api-reference/chat-completions-post */
export const provider = defineProvider({
  type: 27,
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  keyPattern: /^pplx-\w{20,}$/,
  models,
  ownedBy: 'perplexity',
  chat: openaiCompatibleChat({
    path: '/chat/completions',
    only: fields.chat,
    rename: { max_completion_tokens: 'max_tokens' },
    clamp: { top_p: [0, 0.99] },
    rejectsStreamOptions: true,
    rules: { rejectsDeveloperRole: true },
    adjust: (body, call) => ({ ...withTurnsMerged(body), ...toSearchFilter(call) }),
    hostedTools: WEB_SEARCH_ONLY,
    readUsage: readPerplexityUsage,
  }),
})

/** Every model searches, so only the options of a search are added. Source: docs.perplexity.ai/guides/search-domain-filters */
function toSearchFilter(call: AdapterCall<ChatBody>): JsonObject {
  const search = call.hostedTools && findWebSearch(call)
  if (!search) return {}
  const { allowedDomains, blockedDomains } = search
  const domains = allowedDomains ?? blockedDomains?.map(domain => `-${domain}`)
  const { contextSize, userLocation } = search
  return {
    ...omitNullish({ search_domain_filter: domains }),
    web_search_options: omitNullish({ search_context_size: contextSize, user_location: userLocation }),
  }
}

const MERGED_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant'])

/** Turns must alternate, so neighbouring messages of one role are merged. */
export function withTurnsMerged(body: JsonObject): JsonObject {
  const merged: JsonObject[] = []
  for (const message of asArray(body.messages).map(asObject)) {
    const former = merged.at(-1)
    if (former && former.role === message.role && MERGED_ROLES.has(message.role))
      merged[merged.length - 1] = { ...former, content: join(former.content, message.content) }
    else merged.push(message)
  }
  return { ...body, messages: merged }
}

function join(first: unknown, second: unknown): unknown {
  const texts = [asString(first), asString(second)]
  if (texts.every(text => text !== undefined)) return texts.filter(Boolean).join('\n\n')
  return [...toParts(first), ...toParts(second)]
}

const toParts = (content: unknown): readonly unknown[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content)

/**
 * Reasoning tokens of deep research are reported next to the completion tokens, not in them. Source:
 * docs.perplexity.ai/guides/pricing
 */
export function readPerplexityUsage({ usage }: JsonObject): Usage | undefined {
  if (!isObject(usage)) return undefined
  const reasoning_tokens = asCount(usage.reasoning_tokens)
  return readOpenaiUsage({
    ...usage,
    completion_tokens: asCount(usage.completion_tokens) + reasoning_tokens,
    completion_tokens_details: { reasoning_tokens },
  })
}
