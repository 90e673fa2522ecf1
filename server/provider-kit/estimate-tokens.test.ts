import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChatBody } from './contract/chat.ts'
import {
  createOutputMeter,
  estimateEmbeddingsTokens,
  estimatePromptTokens,
  estimateReplyTokens,
  estimateTextTokens,
} from './estimate-tokens.ts'
import { replyToChunks } from './reply-chunks.ts'

const promptOf = (content: ChatBody['messages'][number]['content']): number =>
  estimatePromptTokens({ model: 'm', messages: [{ role: 'user', content: content ?? null }] })

test('counts four ASCII letters or one Chinese character as a token', () => {
  expect(estimateTextTokens('abcdefgh')).toBe(2)
  expect(estimateTextTokens('今天天气很好')).toBe(6)
  expect(estimateTextTokens('')).toBe(0)
})

test('counts an image by its detail, not by the length of its base64', () => {
  const image = (detail: string) => ({
    type: 'image_url' as const,
    image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}`, detail },
  })
  expect(promptOf([image('low')]) - promptOf([])).toBe(85)
  expect(promptOf([image('high')]) - promptOf([])).toBe(765)
})

test('scales image tokens for the mini model', () => {
  const content = [
    { type: 'image_url' as const, image_url: { url: 'https://p.example/1.png', detail: 'low' } },
  ]
  const tokensFor = (model: string) => estimatePromptTokens({ model, messages: [{ role: 'user', content }] })
  expect(tokensFor('gpt-4o-mini-2024-07-18') - tokensFor('gpt-4o')).toBe(2833 - 85)
})

test('counts deprecated `functions` like tools', () => {
  const tool = { name: 'get_weather', parameters: { type: 'object' } }
  const body = { model: 'm', messages: [] }
  const estimated = estimatePromptTokens({ ...body, functions: [tool] })
  expect(estimated).toBeGreaterThan(estimatePromptTokens(body) + 8)
})

test('counts every tool', () => {
  const tool = {
    type: 'function' as const,
    function: { name: 'get_weather', parameters: { type: 'object' } },
  }
  const body = { model: 'm', messages: [] }
  const one = estimatePromptTokens({ ...body, tools: [tool] })
  expect(estimatePromptTokens({ ...body, tools: [tool, tool] })).toBeGreaterThan(one + 8)
})

test('counts input audio by its length', () => {
  const audio = (chars: number) =>
    promptOf([{ type: 'input_audio', input_audio: { data: 'A'.repeat(chars), format: 'mp3' } }])
  expect(audio(10)).toBe(audio(1_000))
  expect(audio(2_000_000)).toBeGreaterThan(1_000)
})

test('counts token ids of an embeddings request exactly', () => {
  expect(estimateEmbeddingsTokens({ model: 'm', input: [1, 2, 3] })).toBe(3)
  expect(estimateEmbeddingsTokens({ model: 'm', input: [[1, 2], [3]] })).toBe(3)
  expect(estimateEmbeddingsTokens({ model: 'm', input: ['abcd', 'abcdefgh'] })).toBe(3)
})

test('estimates the same number of tokens for a text and for its pieces together', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), pieces => {
      const meter = createOutputMeter()
      for (const text of pieces) meter.add({ type: 'text-delta', text })
      expect(meter.tokens()).toBe(estimateTextTokens(pieces.join('')))
    }),
  )
})

test('counts reasoning, refusals and tool calls of a complete and a streamed response alike', () => {
  const reply = {
    choices: [
      {
        text: 'abcd',
        reasoning: 'abcd',
        refusal: 'abcd',
        finish: 'stop' as const,
        toolCalls: [
          { id: 'c', type: 'function' as const, function: { name: 'abcd', arguments: 'abcdefgh' } },
        ],
      },
    ],
  }
  const meter = createOutputMeter()
  for (const chunk of replyToChunks(reply)) meter.add(chunk)
  expect(estimateReplyTokens(reply)).toBe(3 + 7 + 1 + 2)
  expect(meter.tokens()).toBe(estimateReplyTokens(reply))
})

describe('inline media in the response text', () => {
  const written = (type: string, letters: number) => `![image](data:${type};base64,${'A'.repeat(letters)})`
  const streamed = (text: string) => {
    const meter = createOutputMeter()
    meter.add({ type: 'text-delta', text })
    return meter.tokens()
  }
  const total = (text: string) => estimateReplyTokens({ choices: [{ text, finish: 'stop' }] })

  test.each([streamed, total])(
    'counts an inline image as an image, whatever the length of its base64',
    count => {
      const words = 'abcdefgh'
      const image = written('image/png', 1_000_000)
      expect(count(words + image + image) - count(words)).toBe(2 * 1_290 + 5)
      expect(count(written('image/png', 2_000_000))).toBe(count(image))
    },
  )

  test.each([streamed, total])('counts inline audio by its duration', count => {
    expect(count(written('audio/L16;rate=24000', 460_800))).toBe(100 + 3)
  })

  test.each([streamed, total])('never counts inline media for more than its characters', count => {
    expect(count(written('image/png', 400))).toBe(100 + 3)
  })
})
