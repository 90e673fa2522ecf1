import { expect, test } from 'bun:test'
import { isClaudeSignature, withoutForeignBlocks } from './foreign-blocks.ts'
import { withPossibleThinking } from './thinking.ts'

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
  expect(withoutForeignBlocks(messages)).toEqual([
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
  expect(withoutForeignBlocks(messages)).toBe(messages)
})

test('drops thinking without a signature, and a turn that holds nothing else', () => {
  const thinking = (signature?: string) => ({ type: 'thinking', thinking: 'a plan', signature })
  const redacted = (data: string) => ({ type: 'redacted_thinking', data })
  const text = { type: 'text', text: 'one' }
  const question = { role: 'user', content: 'a' }
  expect(
    withoutForeignBlocks([
      question,
      { role: 'assistant', content: [thinking(''), thinking('signed'), redacted('sealed'), text] },
      { role: 'assistant', content: [thinking(), redacted(''), redacted('gAAAAx')] },
      question,
    ]),
  ).toEqual([
    question,
    { role: 'assistant', content: [thinking('signed'), redacted('sealed'), text] },
    question,
  ])
})

test('replaces the ids of calls that Claude does not take, in calls and results alike', () => {
  const call = { type: 'tool_use', id: 'functions.now:0', name: 'now', input: {} }
  const result = { type: 'tool_result', tool_use_id: 'functions.now:0', content: 'r' }
  const id = expect.stringMatching(/^functions_now_0_\w{8}$/)
  expect(
    withoutForeignBlocks([
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ]),
  ).toEqual([
    { role: 'assistant', content: [{ ...call, id }] },
    { role: 'user', content: [{ ...result, tool_use_id: id }] },
  ])
})

test('leaves out thinking that OpenAI encrypted', () => {
  const thinking = { type: 'thinking', thinking: '', signature: 'gAAAAABo-k_' }
  const text = { type: 'text', text: 'Hi.' }
  expect(withoutForeignBlocks([{ role: 'assistant', content: [thinking, text] }])).toEqual([
    { role: 'assistant', content: [text] },
  ])
})

const TOOL_LOOP = (first: object) => [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: [first, { type: 'tool_use', id: 'a', name: 'look', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
]
const BUDGET = { type: 'enabled', budget_tokens: 1_024 }
const CLEAR = { type: 'clear_thinking_20251015', keep: 'all' }
const USES = { type: 'clear_tool_uses_20250919' }

test.each<[string, object, object]>([
  ['a turn of another provider', { thinking: BUDGET }, {}],
  [
    'what edits the thinking, too',
    { thinking: BUDGET, context_management: { edits: [CLEAR, USES] } },
    { context_management: { edits: [USES] } },
  ],
  ['an edit of nothing else', { thinking: BUDGET, context_management: { edits: [CLEAR] } }, {}],
  ['no adaptive thinking', { thinking: { type: 'adaptive' } }, { thinking: { type: 'adaptive' } }],
])('a tool loop without its thinking goes without a budget: %s', (_, fields, expected) => {
  const messages = TOOL_LOOP({ type: 'text', text: 'I look.' })
  expect(withPossibleThinking({ messages, ...fields })).toEqual({ messages, ...expected })
})

test.each([
  ['the loop begins with its thinking', TOOL_LOOP({ type: 'thinking', thinking: 't', signature: 's' })],
  ['the thinking is hidden', TOOL_LOOP({ type: 'redacted_thinking', data: 'd' })],
  ['the loop is over', [...TOOL_LOOP({ type: 'text', text: 't' }), { role: 'assistant', content: 'Seen.' }]],
])('thinking keeps its budget where %s', (_, messages) => {
  const body = { messages, thinking: BUDGET }
  expect(withPossibleThinking(body)).toBe(body)
})

/** As the documentation of both makers shows them. */
const CLAUDE_SIGNATURES = [
  'EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8',
  'ErUBCkYIBxgCIkD7A0l4pbmKaHPLmrKYvHRG',
  'EuYBCkQYAiJAXmHZLh4pJ6Jk',
  'EmwKAhgBEgy3va3pzix',
  'EqQBCgIYAhIkNjZmYTE1',
]
const OTHER_SIGNATURES = [
  ...['', ' ', 'skip_thought_signature_validator', 'context_engineering_is_the_way_to_go', 'gAAAAABoXXXX'],
  ...['CiQBjz1rX4sU8Jv2mO0r1mN6', 'CpwBAVSoXO5a', 'EtYFCtMFAXLI2nyp', 'AVSoXO4a'],
]
test.each([
  ...CLAUDE_SIGNATURES.map(signature => [signature, true] as const),
  ...OTHER_SIGNATURES.map(signature => [signature, false] as const),
])('knows by the signature %p whether Claude may have thought: %p', (signature, isOwn) => {
  expect(isClaudeSignature(signature)).toBe(isOwn)
})

test('drops blank texts of answers, with which other providers begin their calls', () => {
  const call = { type: 'tool_use', id: 't', name: 'look', input: {} }
  const blank = { type: 'text', text: '\n\n' }
  const question = { role: 'user', content: [blank] }
  expect(
    withoutForeignBlocks([
      question,
      { role: 'assistant', content: [blank, call] },
      { role: 'assistant', content: ' ' },
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
    ]),
  ).toEqual([question, { role: 'assistant', content: [call] }])
})
