import type { UrlCitation, WebSearch } from '../../provider-kit/contract/chat.ts'
import type { JsonObject } from '../../provider-kit/json.ts'

/** Only Claude can read its own encrypted fields again, so other providers' results have empty ones. */
export const toCitation = ({ url, title, citedText = '' }: UrlCitation): JsonObject => ({
  type: 'web_search_result_location',
  url,
  title: title ?? url,
  cited_text: citedText,
  encrypted_index: '',
})

const CALLER = { caller: { type: 'direct' } } as const

/** Source: platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
export const serverToolUse = (id: string, input: JsonObject): JsonObject => ({
  type: 'server_tool_use',
  id,
  name: 'web_search',
  input,
  ...CALLER,
})

export const toSearchInput = ({ queries }: WebSearch): JsonObject => ({ query: queries.join('; ') })

export const searchResult = (id: string, { sources }: WebSearch): JsonObject => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: sources.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title: title ?? url,
    encrypted_content: '',
    page_age: null,
  })),
  ...CALLER,
})

export const toSearchId = (requestId: string, index: number): string => `srvtoolu_${requestId}_${index}`
