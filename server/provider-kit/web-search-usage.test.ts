import { expect, test } from 'bun:test'
import { createAnthropicStreamReader, readReply as readMessage } from './anthropic-messages/response.ts'
import type { StreamReader } from './contract/operation-adapter.ts'
import { createGeminiStreamReader, readReply as readGenerated } from './gemini-generate/response.ts'
import type { JsonObject } from './json.ts'
import { readOpenaiUsage } from './openai-compatible/chat-response.ts'
import { createResponsesStreamReader, readReply as readResponse } from './openai-responses/response.ts'

const searchesIn = <Chunk>(reader: StreamReader<Chunk>, events: readonly JsonObject[]) => {
  for (const event of events) reader.read({ data: JSON.stringify(event), raw: '' })
  return reader.end().usage?.webSearches
}
const searchesOf = (result: ReturnType<typeof readResponse>) =>
  result.kind === 'reply' ? result.usage?.webSearches : undefined

const CLAUDE_USAGE = { input_tokens: 9, output_tokens: 4, server_tool_use: { web_search_requests: 3 } }

test('counts the web searches that Claude reports', () => {
  expect(searchesOf(readMessage({ content: [], usage: CLAUDE_USAGE }))).toBe(3)
  expect(
    searchesIn(createAnthropicStreamReader(), [
      { type: 'message_start', message: { usage: { input_tokens: 9 } } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: CLAUDE_USAGE },
    ]),
  ).toBe(3)
})

const SEARCH = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'a' } }
const OPENED = { type: 'web_search_call', status: 'completed', action: { type: 'open_page', url: 'b' } }
const FAILED = { ...SEARCH, status: 'failed' }
const RESPONSE = { output: [SEARCH, OPENED, FAILED, SEARCH], usage: { input_tokens: 5, output_tokens: 6 } }

test('counts the searches of the Responses API, but no opened pages and failed searches', () => {
  expect(searchesOf(readResponse(RESPONSE, { requestId: 'r' }))).toBe(2)
  expect(
    searchesIn(createResponsesStreamReader({ requestId: 'r' }), [
      ...RESPONSE.output.map(item => ({ type: 'response.output_item.done', item })),
      { type: 'response.completed', response: RESPONSE },
    ]),
  ).toBe(2)
})

const GROUNDED = {
  candidates: [
    {
      content: { parts: [{ text: 'a' }] },
      groundingMetadata: { webSearchQueries: ['a', 'b'] },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2 },
}

test('counts the search queries of Gemini once, although events repeat them', () => {
  const call = { requestId: 'r' }
  expect(searchesOf(readGenerated(GROUNDED, call))).toBe(2)
  expect(searchesIn(createGeminiStreamReader(call), [GROUNDED, GROUNDED])).toBe(2)
})

test.each([
  ['Perplexity', { num_search_queries: 2 }],
  ['OpenRouter', { server_tool_use: { web_search_requests: 2 } }],
  ['Ali', { plugins: { search: { count: 2, strategy: 'turbo' } } }],
])('counts the searches that %s reports in usage', (_provider, fields) => {
  expect(readOpenaiUsage({ prompt_tokens: 7, completion_tokens: 1, ...fields })?.webSearches).toBe(2)
})
