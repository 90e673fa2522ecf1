import {
  cachedTokens,
  cacheWriteTokens,
  completionTokens,
  promptTokens,
  type Usage,
} from '../../core/usage.ts'
import type { TokenLogprob, UrlCitation, WebSearch } from '../../provider-kit/contract/chat.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { carrySignature } from '../../provider-kit/rules/carried-signatures.ts'
import { toUrlCitation } from '../../provider-kit/web-citations.ts'
import { findForm, isKnownKind } from './client-tools.ts'
import type { ClientTool } from './tools.ts'

/** Output items. Their ids differ from the ids of the calls inside them. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export const reasoningItem = (id: string, text: string, signature?: string): JsonObject => ({
  id,
  type: 'reasoning',
  summary: text === '' ? [] : [summaryPart(text)],
  ...(signature !== undefined && { encrypted_content: carrySignature(signature) }),
})

export const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text })

export const messageItem = (id: string, status: ItemStatus, parts: readonly JsonObject[]): JsonObject => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content: parts,
})

export const textPart = (
  text: string,
  annotations: readonly JsonObject[] = [],
  logprobs: readonly TokenLogprob[] = [],
): JsonObject => ({ type: 'output_text', annotations, logprobs, text })

export const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal })

export interface CallFields {
  readonly tool: ClientTool
  readonly callId: string
  /** The arguments of the function that stands for the tool. */
  readonly arguments: string
  readonly extraContent?: JsonObject | undefined
}

/** A call in the form of its tool, such as JSON arguments for a function and free text for a custom tool. */
export function callItem(id: string, status: ItemStatus, call: CallFields): JsonObject {
  const { kind, name, namespace } = call.tool
  const { callType, toCallFields } = findForm(kind)
  return {
    id,
    type: callType,
    status,
    ...toCallFields(call.arguments),
    call_id: call.callId,
    ...(!isKnownKind(kind) && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(call.extraContent && { extra_content: call.extraContent }),
  }
}

export const urlAnnotation = (citation: UrlCitation): JsonObject => ({
  type: 'url_citation',
  ...toUrlCitation(citation),
})

export const searchItem = (
  id: string,
  status: 'in_progress' | 'completed',
  search: WebSearch,
): JsonObject => ({
  id,
  type: 'web_search_call',
  status,
  action: {
    type: 'search',
    query: search.queries.join('; '),
    queries: search.queries,
    sources: search.sources.map(({ url }) => ({ type: 'url', url })),
  },
})

/** Usage with the field names of the Responses API, whose totals include the parts. */
export const toResponsesUsage = (usage: Usage): JsonObject => ({
  input_tokens: promptTokens(usage),
  input_tokens_details: {
    cached_tokens: cachedTokens(usage),
    cache_write_tokens: cacheWriteTokens(usage),
  },
  output_tokens: completionTokens(usage),
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: promptTokens(usage) + completionTokens(usage),
})
