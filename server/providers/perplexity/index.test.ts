import { expect, test } from 'bun:test'
import { readPerplexityUsage, withTurnsMerged } from './index.ts'

test('merges messages so that turns alternate', () => {
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

test('keeps images when turns are merged', () => {
  const image = { type: 'image_url', image_url: { url: 'https://v.example/a.png' } }
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'user', content: [image] },
  ]
  expect(withTurnsMerged({ messages }).messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'a' }, image] },
  ])
})

test('adds the reasoning tokens that are reported next to the completion', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 20, reasoning_tokens: 300 }
  expect(readPerplexityUsage({ usage })).toMatchObject({ input: 10, output: 20, reasoning: 300 })
})
