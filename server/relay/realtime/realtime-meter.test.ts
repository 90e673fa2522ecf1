import { describe, expect, test } from 'bun:test'
import { createRealtimeMeter } from './realtime-meter.ts'

const soundOf = (bytes: number): string => Buffer.alloc(bytes).toString('base64')

function heard(...events: readonly object[]) {
  const meter = createRealtimeMeter()
  for (const event of events) meter.fromUpstream(JSON.stringify(event))
  return meter
}

test('a minute of sound is counted as OpenAI prices it, where the vendor gives no figures', () => {
  const meter = createRealtimeMeter()
  meter.fromClient(JSON.stringify({ type: 'input_audio_buffer.append', audio: soundOf(60 * 48_000) }))
  meter.fromUpstream(JSON.stringify({ type: 'response.audio.delta', delta: soundOf(60 * 48_000) }))
  expect(meter.usage()).toMatchObject({ audioInput: 1667, audioOutput: 834 })
  expect(meter.isEstimated()).toBe(true)
})

test('telephone sound has fewer bytes to the second, by the names of both generations', () => {
  const delta = { type: 'response.output_audio.delta', delta: soundOf(60 * 8_000) }
  const old = { type: 'session.created', session: { output_audio_format: 'g711_ulaw' } }
  const newer = {
    type: 'session.updated',
    session: { audio: { output: { format: { type: 'audio/pcmu' } } } },
  }
  for (const session of [old, newer]) expect(heard(session, delta).usage().audioOutput).toBe(834)
})

test('what was only heard costs nothing before there is an answer to it', () => {
  const meter = createRealtimeMeter()
  meter.fromClient(JSON.stringify({ type: 'input_audio_buffer.append', audio: soundOf(480_000) }))
  meter.fromClient(
    JSON.stringify({
      type: 'conversation.item.create',
      item: { content: [{ type: 'input_text', text: 'hello' }] },
    }),
  )
  expect(meter.usage()).toMatchObject({ input: 0, audioInput: 0 })
  meter.fromUpstream(JSON.stringify({ type: 'response.text.delta', delta: 'four' }))
  expect(meter.usage()).toMatchObject({ input: 2, audioInput: 278, output: 1 })
})

test("the vendor's figures take the place of the estimate, answer by answer, and cached sound is cached only", () => {
  const usage = {
    input_tokens: 100,
    output_tokens: 10,
    input_token_details: { cached_tokens: 40, audio_tokens: 50, cached_tokens_details: { audio_tokens: 30 } },
  }
  const done = { type: 'response.done', response: { usage } }
  const meter = heard({ type: 'response.text.delta', delta: 'a long answer' }, done, done)
  expect(meter.usage()).toMatchObject({ input: 80, cachedInput: 80, audioInput: 40, output: 20 })
  expect(meter.isEstimated()).toBe(false)
})

test('an answer that ends without figures stays estimated', () => {
  const meter = heard(
    { type: 'response.text.delta', delta: 'four' },
    { type: 'response.done', response: {} },
    { type: 'response.done', response: { usage: { input_tokens: 5, output_tokens: 5 } } },
  )
  expect(meter.usage()).toMatchObject({ input: 5, output: 6 })
  expect(meter.isEstimated()).toBe(true)
})

test('frames that nobody can read are passed over', () => {
  const meter = createRealtimeMeter()
  for (const frame of ['', '{', '[]', 'null', '{"type":1}', new Uint8Array(4)]) {
    meter.fromClient(frame)
    meter.fromUpstream(frame)
  }
  expect(meter.usage()).toMatchObject({ input: 0, output: 0 })
})

test('what a session and an answer are instructed with is part of what was sent', () => {
  const words = 'word'.repeat(100)
  const told = (...events: readonly object[]) => {
    const meter = heard(...events)
    meter.fromClient(JSON.stringify({ type: 'response.create', response: { instructions: words } }))
    meter.fromUpstream(JSON.stringify({ type: 'response.text.delta', delta: 'four' }))
    return meter.usage()
  }
  const session = { instructions: words, tools: [{ type: 'function', name: 'word'.repeat(40) }] }
  expect(told()).toMatchObject({ input: 100, output: 1 })
  expect(told({ type: 'session.updated', session }).input).toBeGreaterThan(100 + 100 + 40)
})

test('instructions cost nothing without an answer, and are in the figures of a vendor that gives some', () => {
  const created = { type: 'session.created', session: { instructions: 'word'.repeat(100) } }
  expect(heard(created).usage()).toMatchObject({ input: 0 })
  const done = { type: 'response.done', response: { usage: { input_tokens: 5, output_tokens: 5 } } }
  const meter = heard(created, { type: 'response.text.delta', delta: 'four' }, done)
  expect(meter.usage()).toMatchObject({ input: 5, output: 5 })
})

describe('what is written down of what was heard', () => {
  const type = 'conversation.item.input_audio_transcription.completed'
  const written = (usage?: object) => heard({ type, transcript: 'four', usage })

  test('costs what its vendor counts, at the price of text: another model than that of the answers has heard it', () => {
    const usage = { type: 'tokens', input_tokens: 30, output_tokens: 7 }
    const meter = written({ ...usage, input_token_details: { audio_tokens: 30 } })
    expect(meter.usage()).toMatchObject({ input: 30, audioInput: 0, output: 7 })
    expect(written({ type: 'duration', seconds: 60 }).usage()).toMatchObject({ input: 1_000, output: 0 })
    expect(meter.isEstimated()).toBe(false)
  })

  test('is estimated where its vendor counts nothing', () => {
    expect(written().usage()).toMatchObject({ input: 0, output: 1 })
    expect(written().isEstimated()).toBe(true)
  })
})
