import { expect, test } from 'bun:test'
import { bendBody, thinksMore } from './effort.ts'

test.each([
  ['high', 'o3', 'low', true],
  ['XHIGH', 'o3', 'high', true],
  ['low', 'o3', 'low', false],
  ['none', 'gpt-5.4', 'low', false],
  ['unheard-of', 'o3', 'low', false],
  ['', 'o3', 'low', true],
  ['', 'o3', 'medium', false],
  ['', 'gpt-5-mini-2025-08-07', 'low', true],
  ['', 'gpt-5.1', 'low', false],
  ['', 'gpt-4o', 'low', false],
  ['', 'gemini-2.5-flash', 'medium', true],
  ['', 'gemini-2.5-flash-lite', 'low', false],
  ['', 'claude-opus-4-5', 'low', false],
  ['high', 'o3-mini-high', 'low', false],
  ['high', 'claude-3-7-sonnet-thinking', 'low', false],
  ['high', 'gpt-5-pro', 'medium', false],
] as const)('%p of %p thinks more than %p: %p', (stated, model, effort, expected) => {
  expect(thinksMore(stated, model, effort)).toBe(expected)
})

const messages = [{ role: 'user', content: 'hi' }]

test.each([
  ['openai', { messages, reasoning_effort: 'high' }, { messages, reasoning_effort: 'low' }],
  ['openai', { messages, reasoning_effort: null }, { messages, reasoning_effort: 'low' }],
  ['openai', { prompt: 'hi' }, { prompt: 'hi' }],
  [
    'responses',
    { input: 'hi', reasoning: { effort: 'high', summary: 'auto' } },
    { input: 'hi', reasoning: { effort: 'low', summary: 'auto' } },
  ],
  ['responses', { input: 'hi' }, { input: 'hi', reasoning: { effort: 'low' } }],
  [
    'responses',
    { input: [{ type: 'configuration_update', reasoning: { effort: 'high' } }, 'odd'] },
    { input: [{ type: 'configuration_update', reasoning: { effort: 'low' } }, 'odd'] },
  ],
  [
    'anthropic',
    { messages, output_config: { effort: 'max' }, thinking: { type: 'enabled', budget_tokens: 9_000 } },
    { messages, output_config: { effort: 'low' }, thinking: { type: 'enabled', budget_tokens: 1_024 } },
  ],
  [
    'anthropic',
    { messages: [...messages, { role: 'system', output_config: { effort: 'high' } }] },
    { messages: [...messages, { role: 'system', output_config: { effort: 'low' } }] },
  ],
  ['anthropic', { messages }, { messages }],
  [
    'gemini',
    { contents: [], generationConfig: { topK: 1, thinkingConfig: { thinkingLevel: 'HIGH' } } },
    { contents: [], generationConfig: { topK: 1, thinkingConfig: { thinkingLevel: 'low' } } },
  ],
  [
    'gemini',
    { contents: [], generation_config: { thinking_config: { thinking_budget: 20_000 } } },
    { contents: [], generation_config: { thinking_config: { thinking_budget: 1_024 } } },
  ],
  [
    'gemini',
    { contents: [], generationConfig: { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } } },
    { contents: [], generationConfig: { thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true } } },
  ],
  [
    'gemini',
    { contents: [] },
    { contents: [], generationConfig: { thinkingConfig: { thinkingBudget: 1_024 } } },
  ],
  [
    'interactions',
    { input: 'hi', generation_config: { thinking_level: 'high' } },
    { input: 'hi', generation_config: { thinking_level: 'low' } },
  ],
  [
    'cohere',
    { messages, thinking: { type: 'enabled', token_budget: 8_000 } },
    { messages, thinking: { type: 'enabled', token_budget: 1_024 } },
  ],
] as const)('lowers the effort of a body of %s: %j', (format, body, expected) => {
  const lowered: unknown = bendBody({ to: 'o3', effort: { to: 'low' } })(body, format)
  expect(lowered).toEqual(expected)
})
