import { expect, test } from 'bun:test'
import { withoutForeignSearches } from './foreign-searches.ts'

const result = (id: string, encrypted_content: string) => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content }],
})
const use = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'a' } })
const citation = (encrypted_index: string) => ({
  type: 'web_search_result_location',
  url: 'u',
  encrypted_index,
})

test('turns the search results of other providers into text and drops their calls and citations', () => {
  const question = { role: 'user', content: 'What is new?' }
  const messages = [
    question,
    {
      role: 'assistant',
      content: [
        use('1'),
        result('1', ''),
        use('2'),
        result('2', 'sealed'),
        { type: 'text', text: 'News.', citations: [citation(''), citation('sealed')] },
        { type: 'text', text: 'More.', citations: [citation('')] },
      ],
    },
  ]
  expect(withoutForeignSearches(messages)).toEqual([
    question,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Search results:\n- A https://a.example' },
        use('2'),
        result('2', 'sealed'),
        { type: 'text', text: 'News.', citations: [citation('sealed')] },
        { type: 'text', text: 'More.' },
      ],
    },
  ])
})

test("leaves a conversation with Claude's own searches as it is", () => {
  const failed = {
    ...result('3', ''),
    content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
  }
  const messages = [{ role: 'assistant', content: [use('2'), result('2', 'sealed'), use('3'), failed] }]
  expect(withoutForeignSearches(messages)).toBe(messages)
})
