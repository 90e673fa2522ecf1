import { expect, test } from 'bun:test'
import { loadProviders } from '#server/compose/modules.ts'
import type { ChatBody, ChatMessage } from '#server/provider-kit/contract/chat.ts'
import type { ChatAdapter } from '#server/provider-kit/contract/operation-adapter.ts'
import { asObject } from '#server/provider-kit/json.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { readFixtures } from './provider-fixtures.ts'

const modules = await loadProviders()
const providers = createRegistry(modules).all()
const CALL = { id: 'abcdefg12', type: 'function', function: { name: 'look', arguments: '{}' } } as const
const THOUGHT = 'I must look.'

/** A conversation whose earlier turn called a tool. */
const bodyWith = (thinking: Partial<ChatMessage>): ChatBody => ({
  model: 'm',
  reasoning_effort: 'high',
  messages: [
    { role: 'user', content: 'weather?' },
    { role: 'assistant', content: null, tool_calls: [CALL], ...thinking },
    { role: 'tool', tool_call_id: CALL.id, content: '11' },
    { role: 'assistant', content: 'It is 11.' },
    { role: 'user', content: 'And tomorrow?' },
  ],
})

function chatOf(folder: string): ChatAdapter {
  const chat = providers.find(provider => modules.get(folder)?.provider === provider)?.chat
  if (!chat) throw new Error(`expected ${folder} to have chat`)
  return chat
}

function sentTo(folder: string, model: string, body: ChatBody, isTranslated: boolean): string {
  const { body: sent } = chatOf(folder).request({ ...readFixtures(folder).callOf(body, model), isTranslated })
  return String(sent)
}

const OFF = '"thinking":{"type":"disabled"}'
const PLACEHOLDER = '"reasoning_content":" "'

const PROVIDERS: readonly (readonly [folder: string, model: string, replacement: string])[] = [
  ['deepseek', 'deepseek-v4-pro', OFF],
  ['deepseek', 'deepseek-reasoner', OFF],
  ['moonshot', 'kimi-k2.6', OFF],
  ['moonshot', 'kimi-k2-thinking', PLACEHOLDER],
  ['custom', 'mimo-v2-pro', PLACEHOLDER],
  ['custom', 'deepseek-v4-flash', PLACEHOLDER],
  ['siliconflow', 'deepseek-ai/DeepSeek-V4', PLACEHOLDER],
  ['xinference', 'kimi-k2.5', PLACEHOLDER],
  ['openrouter', 'moonshotai/kimi-k2.6', PLACEHOLDER],
  ['volcano', 'deepseek-v4', PLACEHOLDER],
  ['ali', 'kimi-k2.5', PLACEHOLDER],
  ['volcano', 'kimi-k2-5-260127', PLACEHOLDER],
  ['baidu-v2', 'deepseek-v4', PLACEHOLDER],
  ['cloudflare', '@cf/moonshotai/kimi-k2.6', PLACEHOLDER],
]

for (const isTranslated of [true, false]) {
  const client = isTranslated ? 'a client of another format' : 'a chat client'
  test.each(PROVIDERS)(
    `${client} that drops thinking gets through at %s with %s`,
    (folder, model, replacement) => {
      const sent = sentTo(folder, model, bodyWith({}), isTranslated)
      expect(sent).toContain(replacement)
      if (replacement === OFF) expect(sent).not.toContain('reasoning_effort')
    },
  )
}

test.each([
  ['deepseek', 'deepseek-chat'],
  ['moonshot', 'kimi-k2-0905-preview'],
  ['custom', 'qwen3-coder-plus'],
  ['custom', 'deepseek-v3'],
  ['openai', 'gpt-5.2'],
])('%s with %s needs no thinking in its history', (folder, model) => {
  const sent = sentTo(folder, model, bodyWith({}), false)
  expect(sent).not.toContain(PLACEHOLDER)
})

test.each(['minimax', 'zhipu-v4', 'siliconflow', 'xinference', 'custom', 'ollama'])(
  'the thinking of any model goes back to %s',
  folder => {
    expect(sentTo(folder, 'm', bodyWith({ reasoning_content: THOUGHT }), true)).toContain(THOUGHT)
  },
)

test.each([
  ['volcano', 'glm-4-7-251222'],
  ['volcano', 'deepseek-v3-2-251201'],
  ['volcano', 'minimax-m2.5'],
  ['ali', 'glm-5'],
  ['custom', 'GLM-4.6'],
  ['openrouter', 'z-ai/glm-4.7'],
  ['openrouter', 'minimax/minimax-m2.5'],
  ['baidu-v2', 'glm-5'],
  ['cloudflare', '@cf/zai-org/glm-4.7-flash'],
])('%s with %s gets back its thinking, and thinks on without it', (folder, model) => {
  const chat = chatOf(folder)
  expect(chat.thoughtForm?.(model)).toBe('text')
  expect(sentTo(folder, model, bodyWith({ reasoning_content: THOUGHT }), true)).toContain(THOUGHT)
})

test('Kimi gets no sampling parameters where it takes one value only', () => {
  const sampling = { temperature: 0.7, top_p: 0.9, n: 1, presence_penalty: 0 }
  const keptBy = (model: string) =>
    Object.keys(asObject(JSON.parse(sentTo('moonshot', model, { ...bodyWith({}), ...sampling }, false))))
  expect(keptBy('kimi-k2.6')).not.toContain('temperature')
  expect(keptBy('kimi-k2-0905-preview')).toContain('temperature')
})
