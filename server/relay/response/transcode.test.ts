import { expect, test } from 'bun:test'
import type { ChatChunk } from '../../provider-kit/contract/chat.ts'
import { createThinkTags, withThinkTags } from './transcode.ts'

const textOf = (chunks: readonly ChatChunk[]): string =>
  chunks
    .flatMap(createThinkTags())
    .map(chunk => ('text' in chunk ? chunk.text : `[${chunk.type}]`))
    .join('')

test('puts streamed reasoning between tags before the text', () => {
  const chunks: ChatChunk[] = [
    { type: 'reasoning-delta', text: 'why' },
    { type: 'reasoning-delta', text: ' so' },
    { type: 'text-delta', text: 'because' },
    { type: 'finish', reason: 'stop' },
  ]
  expect(textOf(chunks)).toBe('<think>\nwhy so\n</think>\nbecause[finish]')
})

test('closes the tag before a tool call and at the end', () => {
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

test('leaves a stream without reasoning unchanged', () => {
  expect(textOf([{ type: 'text-delta', text: 'a' }])).toBe('a')
})

test('formats a JSON reply like a stream', () => {
  const reply = withThinkTags({ choices: [{ text: 'because', reasoning: 'why', finish: 'stop' }] })
  expect(reply.choices[0]).toEqual({ text: '<think>\nwhy\n</think>\nbecause', finish: 'stop' })
})
