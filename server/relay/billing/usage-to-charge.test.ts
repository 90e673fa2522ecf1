import { describe, expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import { chat } from '../operations/chat.ts'
import { usageToCharge } from './usage-to-charge.ts'

const AUDIO_PART = {
  type: 'input_audio',
  input_audio: { data: 'A'.repeat(1_000_000), format: 'mp3' },
} as const
const body = {
  model: 'gpt-4o-audio-preview',
  messages: [
    { role: 'system' as const, content: 'Answer in a sentence.' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'What is said?' }, AUDIO_PART] },
  ],
}
const interrupted = { isComplete: false, hasOutput: true, outputTokens: 7 }

test('charges the audio input of an interrupted response without figures as audio', () => {
  const inputTokens = chat.inputTokens(body)
  const { usage, provenance } = usageToCharge({
    ...interrupted,
    usage: undefined,
    inputTokens,
    inputAudioTokens: () => chat.inputAudioTokens?.(body) ?? 0,
  })
  expect(usage.audioInput).toBe(500)
  expect(usage).toEqual({ ...NO_USAGE, input: inputTokens - 500, audioInput: 500, output: 7 })
  expect(provenance).toBe('estimated')
})

test('uses the provider’s input figures whether or not the input was audio', () => {
  const usage = { ...NO_USAGE, input: 20, audioInput: 300, output: 2 }
  const counted = { ...interrupted, usage, inputTokens: 999, inputAudioTokens: () => 900 }
  expect(usageToCharge(counted).usage).toEqual({ ...usage, output: 7 })
})

test('charges no more audio tokens than input tokens', () => {
  const counted = { ...interrupted, usage: undefined, inputTokens: 10, inputAudioTokens: () => 900 }
  expect(usageToCharge(counted).usage).toMatchObject({ input: 0, audioInput: 10 })
})

describe('usage without delivered output', () => {
  const reported = { ...NO_USAGE, input: 20, output: 5 }

  test('is free for an interrupted response, whatever the provider has counted', () => {
    const counted = { ...interrupted, hasOutput: false, outputTokens: 0, inputTokens: 9, usage: reported }
    expect(usageToCharge(counted)).toEqual({ usage: NO_USAGE, provenance: 'free' })
  })

  test('includes hidden reasoning when the response is complete', () => {
    const usage = { ...NO_USAGE, input: 20, reasoning: 5 }
    const counted = { isComplete: true, hasOutput: false, outputTokens: 0, inputTokens: 9, usage }
    expect(usageToCharge(counted)).toEqual({ usage, provenance: 'upstream' })
  })
})

test('estimates the output when the provider reports only the input', () => {
  const usage = { ...NO_USAGE, input: 20 }
  const counted = { isComplete: true, hasOutput: true, inputTokens: 9, usage }
  expect(usageToCharge({ ...counted, outputTokens: 7 })).toEqual({
    usage: { ...usage, output: 7 },
    provenance: 'estimated',
  })
  expect(usageToCharge({ ...counted, outputTokens: 0 })).toEqual({ usage, provenance: 'upstream' })
})

describe('a prompt of 0 tokens beside output', () => {
  const usage = { ...NO_USAGE, output: 5 }
  const counted = { isComplete: true, hasOutput: true, inputTokens: 9, outputTokens: 7, usage }

  test('is estimated, and its output is believed', () => {
    expect(usageToCharge(counted)).toEqual({ usage: { ...usage, input: 9 }, provenance: 'estimated' })
    expect(usageToCharge({ ...counted, inputAudioTokens: () => 4 }).usage).toEqual({
      ...usage,
      input: 5,
      audioInput: 4,
    })
  })

  test.each([
    ['all of it was cached', { ...usage, cachedInput: 9 }],
    ['it is paid by the second', { ...usage, seconds: 3 }],
    ['it is paid by the picture', { ...usage, images: 1 }],
  ])('is right where %s', (_, reported) => {
    expect(usageToCharge({ ...counted, usage: reported })).toEqual({
      usage: reported,
      provenance: 'upstream',
    })
  })
})
