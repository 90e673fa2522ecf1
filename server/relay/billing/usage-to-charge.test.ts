import { describe, expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import { chat } from '../operations/chat.ts'
import { usageToCharge } from './usage-to-charge.ts'

const SOUND = { type: 'input_audio', input_audio: { data: 'A'.repeat(1_000_000), format: 'mp3' } } as const
const body = {
  model: 'gpt-4o-audio-preview',
  messages: [
    { role: 'system' as const, content: 'Answer in a sentence.' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'What is said?' }, SOUND] },
  ],
}
const broken = { isComplete: false, hasOutput: true, outputTokens: 7 }

test('sound that went into an answer that broke off without figures is charged as sound', () => {
  const inputTokens = chat.inputTokens(body)
  const { usage, provenance } = usageToCharge({
    ...broken,
    usage: undefined,
    inputTokens,
    inputAudioTokens: () => chat.inputAudioTokens?.(body) ?? 0,
  })
  expect(usage.audioInput).toBe(500)
  expect(usage).toEqual({ ...NO_USAGE, input: inputTokens - 500, audioInput: 500, output: 7 })
  expect(provenance).toBe('estimated')
})

test('the vendor’s own figures of what went in hold, sound or not', () => {
  const usage = { ...NO_USAGE, input: 20, audioInput: 300, output: 2 }
  const counted = { ...broken, usage, inputTokens: 999, inputSound: () => 900 }
  expect(usageToCharge(counted).usage).toEqual({ ...usage, output: 7 })
})

test('nothing is more sound than it is', () => {
  const counted = { ...broken, usage: undefined, inputTokens: 10, inputSound: () => 900 }
  expect(usageToCharge(counted).usage).toMatchObject({ input: 0, audioInput: 10 })
})

describe('of an answer that broke off', () => {
  const told = { ...NO_USAGE, input: 20, output: 5 }

  test('nothing is charged before something was delivered, whatever the vendor has counted by then', () => {
    const counted = { ...broken, hasOutput: false, outputTokens: 0, inputTokens: 9, usage: told }
    expect(usageToCharge(counted)).toEqual({ usage: NO_USAGE, provenance: 'free' })
  })

  test('thoughts that nobody sees are charged once it is whole', () => {
    const usage = { ...NO_USAGE, input: 20, reasoning: 5 }
    const counted = { isComplete: true, hasOutput: false, outputTokens: 0, inputTokens: 9, usage }
    expect(usageToCharge(counted)).toEqual({ usage, provenance: 'upstream' })
  })
})

test('a vendor that counts what went in, and nothing of what came out, has not counted that', () => {
  const usage = { ...NO_USAGE, input: 20 }
  const counted = { isComplete: true, hasOutput: true, inputTokens: 9, usage }
  expect(usageToCharge({ ...counted, outputTokens: 7 })).toEqual({
    usage: { ...usage, output: 7 },
    provenance: 'estimated',
  })
  expect(usageToCharge({ ...counted, outputTokens: 0 })).toEqual({ usage, provenance: 'upstream' })
})
