import { expect, test } from 'bun:test'
import { readPerplexityUsage, withTurnsMerged } from './index.ts'

test('makes turns alternate', () => {
  const messages = [
    { role: 'system', content: 's' },
    { role: 'user', content: 'a' },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: 'c' },
  ]
  expect(withTurnsMerged({ messages }).messages).toEqual([
    { role: 'system', content: 's' },
    { role: 'user', content: 'a\n\nb' },
    { role: 'assistant', content: 'c' },
  ])
})

test('keeps pictures when turns become one', () => {
  const image = { type: 'image_url', image_url: { url: 'https://v.example/a.png' } }
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'user', content: [image] },
  ]
  expect(withTurnsMerged({ messages }).messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'a' }, image] },
  ])
})

test('counts the reasoning that stands beside the completion', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 20, reasoning_tokens: 300 }
  expect(readPerplexityUsage({ usage })).toMatchObject({ input: 10, output: 20, reasoning: 300 })
})
