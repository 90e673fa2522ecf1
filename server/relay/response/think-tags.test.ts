import { expect, test } from 'bun:test'
import type { ChatChunk } from '../../provider-kit/chat.ts'
import { createThinkTags, withThinkTags } from './think-tags.ts'

const textOf = (chunks: readonly ChatChunk[]): string =>
  chunks
    .flatMap(createThinkTags())
    .map(chunk => ('text' in chunk ? chunk.text : `[${chunk.type}]`))
    .join('')

test('reasoning stands between tags before the answer', () => {
  const chunks: ChatChunk[] = [
    { type: 'reasoning-delta', text: 'why' },
    { type: 'reasoning-delta', text: ' so' },
    { type: 'text-delta', text: 'because' },
    { type: 'finish', reason: 'stop' },
  ]
  expect(textOf(chunks)).toBe('<think>\nwhy so\n</think>\nbecause[finish]')
})

test('the tag is closed before a tool call and at the end', () => {
  const call: ChatChunk = { type: 'tool-call-start', index: 0, id: 'c', name: 'f', arguments: '' }
  expect(textOf([{ type: 'reasoning-delta', text: 'a' }, call])).toBe(
    '<think>\na\n</think>\n[tool-call-start]',
  )
  expect(
    textOf([
      { type: 'reasoning-delta', text: 'a' },
      { type: 'finish', reason: 'stop' },
    ]),
  ).toBe('<think>\na\n</think>\n[finish]')
})

test('an answer without reasoning stays as it is', () => {
  expect(textOf([{ type: 'text-delta', text: 'a' }])).toBe('a')
})

test('a whole answer reads like the streamed one', () => {
  const reply = withThinkTags({ choices: [{ text: 'because', reasoning: 'why', finish: 'stop' }] })
  expect(reply.choices[0]).toEqual({ text: '<think>\nwhy\n</think>\nbecause', finish: 'stop' })
})
