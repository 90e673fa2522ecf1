import type { ChatBody } from '../contract/chat.ts'
import type { HostedToolSupport, WebSearchTool } from '../contract/hosted-tool.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import { readSearchOptions } from '../hosted-tools.ts'
import { isObject, type JsonObject, omitNullish } from '../json.ts'

/** For providers whose only hosted tool is web search. */
export const WEB_SEARCH_ONLY: readonly HostedToolSupport[] = [{ tool: 'web_search' }]

/** The search that a client requests: by a tool of another dialect, or by OpenAI's field. */
export const findWebSearch = ({ body, hostedTools }: AdapterCall<ChatBody>): WebSearchTool | undefined =>
  hostedTools?.tools.find(tool => tool.name === 'web_search') ??
  (isObject(body.web_search_options) ? readSearchOptions(body.web_search_options) : undefined)

/** OpenAI's field for a search. */
export const toSearchOptions = ({ userLocation, contextSize }: WebSearchTool): JsonObject =>
  omitNullish({
    search_context_size: contextSize,
    user_location: userLocation && { type: 'approximate', approximate: userLocation },
  })
