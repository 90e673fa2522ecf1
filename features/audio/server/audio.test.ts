import { describe, expect, test } from 'bun:test'
import { createForm, describeCharges } from '#server/testing/charged-relay.ts'
import { testPrices } from '#server/testing/test-prices.ts'

const SILICONFLOW = 40

const { open, getSpent, findLastLog, upstreamRequests } = describeCharges({
  prices: testPrices({ ModelRatio: { 'tts-1': 7.5, 'whisper-1': 15 } }),
  models: 'tts-1,whisper-1',
})

/** Mono, 8 bits, 1,000 samples per second: one byte per millisecond. */
function createWav(ms: number): Blob {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + ms, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt32LE(1000, 24)
  header.writeUInt32LE(1000, 28)
  header.write('data', 36)
  header.writeUInt32LE(ms, 40)
  return new File([header, new Uint8Array(ms)], 'speech.wav', { type: 'audio/wav' })
}

describe('speech', () => {
  const audio = new Uint8Array(100_000).map((_, index) => index % 251)
  const body = { model: 'tts-1', input: '你好, world', voice: 'alloy' }

  test('passes audio through with its type and charges the characters', async () => {
    const call = await open(() => new Response(audio, { headers: { 'content-type': 'audio/mpeg' } }))
    const response = await call('/v1/audio/speech', body)
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(audio)
    expect(await getSpent()).toBe(Math.round(9 * 7.5))
    expect(await findLastLog()).toMatchObject({
      type: 2,
      prompt_tokens: 9,
      completion_tokens: 0,
      is_stream: 0,
    })
  })

  test('charges nothing for an empty body or an error with status 200', async () => {
    const call = await open(() => new Response(null, { headers: { 'content-type': 'audio/mpeg' } }))
    expect((await call('/v1/audio/speech', body)).status).toBe(502)
    const callForError = await open(() => Response.json({ error: { message: 'no voice', code: 'v' } }))
    expect((await callForError('/v1/audio/speech', body)).status).toBe(502)
    expect(await getSpent()).toBe(0)
  })

  test('reads upstream audio at the client’s pace', async () => {
    let pulls = 0
    const counting = () =>
      new Response(
        new ReadableStream(
          {
            pull(stream) {
              pulls += 1
              stream.enqueue(new Uint8Array(1000))
            },
          },
          { highWaterMark: 0 },
        ),
        { headers: { 'content-type': 'audio/mpeg' } },
      )
    const call = await open(counting)
    const reader = (await call('/v1/audio/speech', body)).body?.getReader()
    for (let reads = 0; reads < 5; reads += 1) await reader?.read()
    await Bun.sleep(20)
    expect(pulls).toBeLessThan(10)
    await reader?.cancel()
    expect(await getSpent()).toBe(Math.round(9 * 7.5))
  })

  test('charges once when the client disconnects midway', async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: stream => stream.enqueue(new Uint8Array(1000)) }), {
        headers: { 'content-type': 'audio/mpeg' },
      })
    const call = await open(endless)
    const reader = (await call('/v1/audio/speech', body)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(await getSpent()).toBe(Math.round(9 * 7.5))
  })

  test('breaks off with the provider’s stream and charges it', async () => {
    let pulls = 0
    const broken = () =>
      new Response(
        new ReadableStream({
          pull(stream) {
            pulls += 1
            if (pulls > 2) stream.error(new Error('reset'))
            else stream.enqueue(new Uint8Array(1000))
          },
        }),
        { headers: { 'content-type': 'audio/mpeg' } },
      )
    const call = await open(broken)
    const response = await call('/v1/audio/speech', body)
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(await getSpent()).toBe(Math.round(9 * 7.5))
  })
})

describe('transcription', () => {
  const form = (more: Record<string, string> = {}) =>
    createForm({ model: 'whisper-1', file: createWav(61_500), ...more })

  test('charges a thousand tokens per minute for every second begun', async () => {
    const call = await open(() => Response.json({ text: 'hello' }))
    const response = await call('/v1/audio/transcriptions', form({ language: 'en' }))
    expect(await response.json()).toEqual({ text: 'hello' })
    expect(await getSpent()).toBe(Math.round((62 / 60) * 1000) * 15)
    const sent = await upstreamRequests[0]?.formData()
    const file = sent?.get('file')
    expect(file instanceof File && [file.name, file.size]).toEqual(['speech.wav', 61_544])
    expect(sent?.get('language')).toBe('en')
  })

  test("charges the provider's own duration", async () => {
    const call = await open(() => Response.json({ text: 'hello', duration: 29.2 }))
    await call('/v1/audio/translations', form({ response_format: 'verbose_json' }))
    expect(upstreamRequests[0]?.url).toEndWith('/v1/audio/translations')
    expect(await getSpent()).toBe(500 * 15)
  })

  test.each([
    ['text', 'text/plain'],
    ['srt', 'application/x-subrip'],
    ['vtt', 'text/vtt'],
  ])('returns %s as the provider wrote it', async (response_format, type) => {
    const call = await open(() => new Response('WRITTEN\n', { headers: { 'content-type': 'text/plain' } }))
    const response = await call('/v1/audio/transcriptions', form({ response_format }))
    expect(response.headers.get('content-type')).toContain(type)
    expect(await response.text()).toBe('WRITTEN\n')
  })

  test('renders the requested format when the provider supports only JSON', async () => {
    const reply = { text: 'Hello there.', segments: [{ start: 0, end: 61.25, text: ' Hello there.' }] }
    const call = await open(() => Response.json(reply), SILICONFLOW)
    const srt = await call('/v1/audio/transcriptions', form({ response_format: 'srt' }))
    expect(await srt.text()).toBe('1\n00:00:00,000 --> 00:01:01,250\nHello there.\n')
    expect((await upstreamRequests[0]?.formData())?.has('response_format')).toBe(false)
    const vtt = await call('/v1/audio/transcriptions', form({ response_format: 'vtt' }))
    expect(await vtt.text()).toBe('WEBVTT\n\n00:00:00.000 --> 00:01:01.250\nHello there.\n')
  })

  test('rejects a transcription without a file', async () => {
    const call = await open(() => Response.json({ text: '' }))
    const response = await call('/v1/audio/transcriptions', createForm({ model: 'whisper-1', file: 'text' }))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('needed a file')
  })
})
