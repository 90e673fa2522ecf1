import { describe, expect, test } from 'bun:test'
import { createRealtimeMeter } from './realtime.ts'

const audioOf = (bytes: number): string => Buffer.alloc(bytes).toString('base64')

function meterFor(...events: readonly object[]) {
  const meter = createRealtimeMeter(usage => ({ usage }))
  for (const event of events) meter.fromUpstream(JSON.stringify(event))
  return meter
}

test('estimates a minute of audio at OpenAI’s price when the provider reports no figures', () => {
  const meter = createRealtimeMeter(usage => ({ usage }))
  meter.fromClient(JSON.stringify({ type: 'input_audio_buffer.append', audio: audioOf(60 * 48_000) }))
  meter.fromUpstream(JSON.stringify({ type: 'response.audio.delta', delta: audioOf(60 * 48_000) }))
  expect(meter.usage()).toMatchObject({ audioInput: 1667, audioOutput: 834 })
  expect(meter.isEstimated()).toBe(true)
})

test('recognizes telephone audio in the session formats of both API generations', () => {
  const delta = { type: 'response.output_audio.delta', delta: audioOf(60 * 8_000) }
  const old = { type: 'session.created', session: { output_audio_format: 'g711_ulaw' } }
  const newer = {
    type: 'session.updated',
    session: { audio: { output: { format: { type: 'audio/pcmu' } } } },
  }
  for (const session of [old, newer]) expect(meterFor(session, delta).usage().audioOutput).toBe(834)
})

test('charges input only once there is a response to it', () => {
  const meter = createRealtimeMeter(usage => ({ usage }))
  meter.fromClient(JSON.stringify({ type: 'input_audio_buffer.append', audio: audioOf(480_000) }))
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

test("replaces the estimate by the provider's figures per response and tells cached audio from cached text", () => {
  const usage = {
    input_tokens: 100,
    output_tokens: 10,
    input_token_details: { cached_tokens: 40, audio_tokens: 50, cached_tokens_details: { audio_tokens: 30 } },
  }
  const done = { type: 'response.done', response: { usage } }
  const meter = meterFor({ type: 'response.text.delta', delta: 'a long answer' }, done, done)
  expect(meter.usage()).toMatchObject({
    input: 80,
    cachedInput: 20,
    cachedAudio: 60,
    audioInput: 40,
    output: 20,
  })
  expect(meter.isEstimated()).toBe(false)
})

test('keeps the estimate of a response that ends without figures', () => {
  const meter = meterFor(
    { type: 'response.text.delta', delta: 'four' },
    { type: 'response.done', response: {} },
    { type: 'response.done', response: { usage: { input_tokens: 5, output_tokens: 5 } } },
  )
  expect(meter.usage()).toMatchObject({ input: 5, output: 6 })
  expect(meter.isEstimated()).toBe(true)
})

test('ignores unreadable frames', () => {
  const meter = createRealtimeMeter(usage => ({ usage }))
  for (const frame of ['', '{', '[]', 'null', '{"type":1}', new Uint8Array(4)]) {
    meter.fromClient(frame)
    meter.fromUpstream(frame)
  }
  expect(meter.usage()).toMatchObject({ input: 0, output: 0 })
})

test('counts the instructions and tools of a session and of a response as input', () => {
  const words = 'word'.repeat(100)
  const usageAfter = (...events: readonly object[]) => {
    const meter = meterFor(...events)
    meter.fromClient(JSON.stringify({ type: 'response.create', response: { instructions: words } }))
    meter.fromUpstream(JSON.stringify({ type: 'response.text.delta', delta: 'four' }))
    return meter.usage()
  }
  const session = { instructions: words, tools: [{ type: 'function', name: 'word'.repeat(40) }] }
  expect(usageAfter()).toMatchObject({ input: 100, output: 1 })
  expect(usageAfter({ type: 'session.updated', session }).input).toBeGreaterThan(100 + 100 + 40)
})

test('charges instructions only with a response, and not on top of the provider’s figures', () => {
  const created = { type: 'session.created', session: { instructions: 'word'.repeat(100) } }
  expect(meterFor(created).usage()).toMatchObject({ input: 0 })
  const done = { type: 'response.done', response: { usage: { input_tokens: 5, output_tokens: 5 } } }
  const meter = meterFor(created, { type: 'response.text.delta', delta: 'four' }, done)
  expect(meter.usage()).toMatchObject({ input: 5, output: 5 })
})

describe('a transcription of the input', () => {
  const type = 'conversation.item.input_audio_transcription.completed'
  const transcribe = (usage?: object) => meterFor({ type, transcript: 'four', usage })

  test('costs the provider’s figures at text prices, since another model transcribes', () => {
    const usage = { type: 'tokens', input_tokens: 30, output_tokens: 7 }
    const meter = transcribe({ ...usage, input_token_details: { audio_tokens: 30 } })
    expect(meter.usage()).toMatchObject({ input: 30, audioInput: 0, output: 7 })
    expect(transcribe({ type: 'duration', seconds: 60 }).usage()).toMatchObject({ input: 1_000, output: 0 })
    expect(meter.isEstimated()).toBe(false)
  })

  test.each([
    [{ input_audio_transcription: { model: 'whisper-1' } }],
    [{ audio: { input: { transcription: { model: 'whisper-1' } } } }],
  ])('counts for the model that %j names', session => {
    const usage = { type: 'duration', seconds: 30 }
    const event = { type, transcript: 'four', usage }
    const meter = meterFor({ type: 'session.updated', session }, event, event)
    expect(meter.usage()).toMatchObject({
      input: 0,
      output: 0,
      otherModels: [{ model: 'whisper-1', usage: { seconds: 60 } }],
    })
  })

  test('is estimated when the provider reports no figures', () => {
    expect(transcribe().usage()).toMatchObject({ input: 0, output: 1 })
    expect(transcribe().isEstimated()).toBe(true)
  })
})
