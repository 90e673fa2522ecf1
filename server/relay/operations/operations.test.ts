import { afterEach, describe, expect, test } from 'bun:test'
import { auditLedger } from '../../ledger/audit.ts'
import { testPrices } from '../../testing/test-prices.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const WALLET = 1_000_000
const OPENAI = 1
const ANTHROPIC = 14
const XINFERENCE = 47
const SILICONFLOW = 40
const ALI = 17
const PRICES = testPrices({
  ModelRatio: {
    'tts-1': 7.5,
    'whisper-1': 15,
    'gpt-image-1': 2.5,
    reranker: 2,
    'text-moderation-stable': 1,
    flux: 8,
  },
  ModelPrice: { 'dall-e-2': 0.02, 'dall-e-3': 0.04 },
})
const MODELS = 'dall-e-2,dall-e-3,tts-1,whisper-1,gpt-image-1,reranker,text-moderation-stable,flux'

type Upstream = (request: Request) => Response | Promise<Response>

let opened: TestRelay | undefined
const upstreamRequests: Request[] = []

/** Opens a relay with this upstream. Returns a function that calls it with a key. */
async function open(
  upstream: Upstream,
  type = 1,
): Promise<(path: string, body: unknown) => Promise<Response>> {
  upstreamRequests.length = 0
  const relay = await TestRelay.open({
    prices: PRICES,
    wallet: WALLET,
    send: sendThrough(async request => {
      upstreamRequests.push(request.clone())
      return upstream(request)
    }),
  })
  opened = relay
  await relay.addChannel({ type, models: MODELS })
  const key = await relay.addToken()
  return (path, body) => relay.request(path, key, body)
}

/** After every test the ledger must balance and no hold may be open. */
afterEach(async () => {
  if (!opened) return
  const { drift, findings } = await auditLedger(opened.db)
  const holds = await opened.db.selectFrom('holds').selectAll().execute()
  await opened.close()
  opened = undefined
  expect({ drift, findings, holds }).toEqual({ drift: 0, findings: [], holds: [] })
})

async function getSpent(): Promise<number> {
  const user = await opened?.db.selectFrom('users').select('quota').executeTakeFirstOrThrow()
  return WALLET - (user?.quota ?? 0)
}

const findLastLog = () =>
  opened?.db.selectFrom('logs').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()

function createForm(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

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

describe('image generation', () => {
  const imagesResponse = (count: number) =>
    Response.json({
      created: 1,
      data: Array.from({ length: count }, () => ({ url: 'https://p.example/1.png' })),
    })

  test('charges the price per call by size, quality and number', async () => {
    const call = await open(() => imagesResponse(2))
    const body = { model: 'dall-e-3', prompt: 'a lighthouse', size: '1792x1024', quality: 'hd', n: 2 }
    const response = await call('/v1/images/generations', body)
    expect(await response.json()).toMatchObject({
      created: 1,
      data: [{ url: 'https://p.example/1.png' }, {}],
    })
    expect(await getSpent()).toBe(120_000)
    expect(await upstreamRequests[0]?.json()).toEqual(body)
  })

  test.each(['constructor', '__proto__', 'toString'])(
    'charges the plain price for the size %p',
    async size => {
      const call = await open(() => imagesResponse(3))
      await call('/v1/images/generations', { model: 'dall-e-3', prompt: 'a lighthouse', size, n: 3 })
      expect(await getSpent()).toBe(60_000)
    },
  )

  test('accepts an unknown quality', async () => {
    const usage = { input_tokens: 10, output_tokens: 100 }
    const call = await open(() => Response.json({ data: [{ b64_json: 'AA' }], usage }))
    const body = { model: 'gpt-image-1', prompt: 'p', quality: 'constructor' }
    expect((await call('/v1/images/generations', body)).status).toBe(200)
    expect(await getSpent()).toBe(Math.round((10 + 100 * 8) * 2.5))
  })

  test('charges only the images in the response', async () => {
    const call = await open(() => imagesResponse(1))
    await call('/v1/images/generations', { model: 'dall-e-3', prompt: 'a lighthouse', n: 3 })
    expect(await getSpent()).toBe(20_000)
  })

  test('charges tokens when the provider counts them', async () => {
    const usage = { input_tokens: 113, output_tokens: 272, input_tokens_details: { image_tokens: 100 } }
    const call = await open(() => Response.json({ created: 1, data: [{ b64_json: 'AA' }], usage }))
    const response = await call('/v1/images/generations', {
      model: 'gpt-image-1',
      prompt: 'p',
      quality: 'low',
    })
    expect(await response.json()).toMatchObject({ usage, data: [{ b64_json: 'AA' }] })
    expect(await getSpent()).toBe(Math.round((13 + 100 * 2 + 272 * 8) * 2.5))
  })

  test('charges a quarter of a cent per image at ratio 1 when priced tokens are not counted', async () => {
    const call = await open(() => imagesResponse(2))
    await call('/v1/images/generations', { model: 'flux', prompt: 'p', n: 2 })
    expect(await getSpent()).toBe(20_000)
  })

  test('inlines linked images for a client that requests base64', async () => {
    const host = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('IMAGE') })
    try {
      const url = `http://127.0.0.1:${host.port}/1.png`
      const call = await open(() =>
        Response.json({ data: [{ url }, { url: 'http://127.0.0.2:1/gone.png' }] }),
      )
      const body = { model: 'dall-e-3', prompt: 'p', n: 2, response_format: 'b64_json' }
      const response = await call('/v1/images/generations', body)
      expect(await response.json()).toEqual({
        data: [{ b64_json: Buffer.from('IMAGE').toString('base64') }, { url: 'http://127.0.0.2:1/gone.png' }],
      })
    } finally {
      await host.stop(true)
    }
  })

  test.each([
    [{ prompt: 'p', n: 0 }, 'n: found 0, needed at least 1'],
    [{ prompt: 'p', n: 11 }, 'n: found 11, needed at most 10'],
    [{ prompt: 'p', n: -1 }, 'n: found -1'],
    [{ prompt: '' }, 'prompt: found ""'],
    [{ prompt: 'p', size: '1024×1024' }, 'with the letter x'],
  ])('rejects %p and charges nothing', async (body, message) => {
    const call = await open(() => imagesResponse(1))
    const response = await call('/v1/images/generations', { model: 'dall-e-3', ...body })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(JSON.stringify(message).slice(1, -1))
    expect(upstreamRequests).toEqual([])
    expect(await getSpent()).toBe(0)
  })

  test('charges nothing when the provider fails or returns no image', async () => {
    const call = await open(() => Response.json({ error: { message: 'no', code: 'x' } }, { status: 400 }))
    expect((await call('/v1/images/generations', { model: 'dall-e-3', prompt: 'p' })).status).toBe(400)
    const empty = await open(() => Response.json({ created: 1, data: [] }))
    expect((await empty('/v1/images/generations', { model: 'dall-e-3', prompt: 'p' })).status).toBe(502)
    expect(await getSpent()).toBe(0)
  })

  test('sends image edits as a form with file names, types and bytes', async () => {
    const call = await open(() => imagesResponse(1))
    const form = createForm({ model: 'dall-e-3', prompt: 'a hat', size: '512x512', user: 'u' })
    form.append('image[]', new File(['ONE'], 'one.png', { type: 'image/png' }))
    form.append('image[]', new File(['TWO'], 'two.webp', { type: 'image/webp' }))
    form.append('mask', new File(['MASK'], 'mask.png', { type: 'image/png' }))
    expect((await call('/v1/images/edits', form)).status).toBe(200)
    const sent = await upstreamRequests[0]?.formData()
    const files = sent?.getAll('image[]') ?? []
    expect(files.map(file => file instanceof File && [file.name, file.type])).toEqual([
      ['one.png', 'image/png'],
      ['two.webp', 'image/webp'],
    ])
    expect(await Promise.all(files.map(file => (file instanceof File ? file.text() : '')))).toEqual([
      'ONE',
      'TWO',
    ])
    expect(sent?.get('user')).toBe('u')
    expect(sent?.get('mask')).toBeInstanceOf(File)
    expect(await getSpent()).toBe(9_000)
  })

  test('passes streamed images through unchanged and charges the usage of the last event', async () => {
    const events = [
      'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"AA"}\n\n',
      'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"AB","usage":{"input_tokens":10,"output_tokens":100}}\n\n',
    ]
    const call = await open(
      () => new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } }),
    )
    const response = await call('/v1/images/generations', { model: 'gpt-image-1', prompt: 'p', stream: true })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(await response.text()).toBe(events.join(''))
    expect(await getSpent()).toBe((10 + 100 * 8) * 2.5)
  })

  test.each([
    { end: 'complete', type: 'image_generation.completed' },
    { end: 'interrupted', type: 'image_generation.partial_image' },
  ])('charges $end image streams without token counts like JSON responses', async ({ type }) => {
    const event = `data: ${JSON.stringify({ type, b64_json: 'AA' })}\n\n`
    const call = await open(() => new Response(event, { headers: { 'content-type': 'text/event-stream' } }))
    const body = { model: 'flux', prompt: 'a lighthouse', stream: true }
    await (await call('/v1/images/generations', body)).text()
    expect(await getSpent()).toBe(10_000)
  })

  test('reads the last event of an image stream without its final blank line', async () => {
    const event = {
      type: 'image_generation.completed',
      b64_json: 'AB',
      usage: { input_tokens: 10, output_tokens: 100 },
    }
    const call = await open(
      () =>
        new Response(`data: ${JSON.stringify(event)}`, { headers: { 'content-type': 'text/event-stream' } }),
    )
    await (await call('/v1/images/generations', { model: 'gpt-image-1', prompt: 'p', stream: true })).text()
    expect(await getSpent()).toBe((10 + 100 * 8) * 2.5)
  })
})

describe('image variations', () => {
  const IMAGE_BYTES_LIMIT = 4 * 1024 * 1024
  const VARIATIONS = '/v1/images/variations'
  const png = (bytes: number) => new File([new Uint8Array(bytes)], 'a.png', { type: 'image/png' })
  const images = (count: number) => () =>
    Response.json({
      created: 1,
      data: Array.from({ length: count }, () => ({ url: 'https://p.example/1.png' })),
    })

  test.each([
    { type: OPENAI, path: VARIATIONS },
    { type: XINFERENCE, path: `${VARIATIONS}/` },
    { type: OPENAI, path: '/openai/v1/images/variations' },
    { type: OPENAI, path: '/openai/images/variations?api-version=2024-10-21' },
    { type: OPENAI, path: '/v1beta/openai/images/variations' },
  ])('sends the form to provider $type from $path and charges by number and size', async ({ type, path }) => {
    const call = await open(images(2), type)
    const fields = { size: '512x512', n: '2', response_format: 'url', user: 'u' }
    const response = await call(path, createForm({ ...fields, image: png(8) }))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ data: [{ url: 'https://p.example/1.png' }, {}] })
    expect(upstreamRequests.map(({ url }) => url)).toEqual([
      expect.stringMatching(/\/v1\/images\/variations$/),
    ])
    const { image, ...sent } = Object.fromEntries((await upstreamRequests[0]?.formData()) ?? [])
    expect(sent).toEqual({ ...fields, model: 'dall-e-2' })
    expect(image instanceof File && [image.name, image.type, image.size]).toEqual(['a.png', 'image/png', 8])
    expect(await getSpent()).toBe(9_000)
    expect(await findLastLog()).toMatchObject({ type: 2, model_name: 'dall-e-2', quota: 9_000 })
  })

  test('takes the model of the path before that of the form', async () => {
    const call = await open(images(1))
    const form = createForm({ model: 'dall-e-2', image: png(IMAGE_BYTES_LIMIT) })
    expect((await call('/openai/deployments/dall-e-3/images/variations', form)).status).toBe(200)
    expect((await upstreamRequests[0]?.formData())?.get('model')).toBe('dall-e-3')
    expect(await getSpent()).toBe(20_000)
  })

  test('charges only the images in the response', async () => {
    const call = await open(images(1))
    await call(VARIATIONS, createForm({ n: '3', image: png(8) }))
    expect(await getSpent()).toBe(10_000)
  })

  test('counts and holds image tokens of models that are priced by them', async () => {
    const usage = { input_tokens: 100, output_tokens: 272 }
    const call = await open(() => Response.json({ data: [{ b64_json: 'AA' }], usage }))
    await call(VARIATIONS, createForm({ model: 'gpt-image-1', image: png(8) }))
    expect(await getSpent()).toBe((100 + 272 * 8) * 2.5)
  })

  test.each([
    [{}, 'image: found nothing, needed a file'],
    [{ image: 'https://p.example/1.png' }, 'image: found "https://p.example/1.png", needed a file'],
    [{ image: png(0) }, 'needed a file that is not empty'],
    [{ image: png(IMAGE_BYTES_LIMIT) }, 'needed a file of less than 4 MB'],
    [{ image: png(8), n: '11' }, 'n: found "11", needed a whole number from 1 to 10'],
  ])('rejects the form %p without a call', async (fields, message) => {
    const call = await open(images(1))
    const response = await call(VARIATIONS, createForm({ user: 'u', ...fields }))
    expect(response.status).toBe(400)
    expect(JSON.parse(await response.text()).error.message).toContain(message)
    expect(upstreamRequests).toEqual([])
    expect(await getSpent()).toBe(0)
  })

  test('rejects two images and a body that is no form', async () => {
    const call = await open(images(1))
    const form = createForm({ image: png(8) })
    form.append('image', png(8))
    expect((await call(VARIATIONS, form)).status).toBe(400)
    expect((await call(VARIATIONS, { model: 'dall-e-2' })).status).toBe(400)
    expect(upstreamRequests).toEqual([])
  })

  test('charges nothing when the provider fails', async () => {
    const call = await open(() =>
      Response.json({ error: { message: 'not square', code: 'x' } }, { status: 400 }),
    )
    const response = await call(VARIATIONS, createForm({ image: png(8) }))
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('not square')])
    expect(await getSpent()).toBe(0)
  })

  test('fails like an edit at a provider without variations, without a call', async () => {
    const call = await open(images(1), ANTHROPIC)
    const texts = await Promise.all(
      ['variations', 'edits'].map(async operation => {
        const form = createForm({ prompt: 'a hat', image: png(8) })
        const response = await call(`/v1/images/${operation}`, form)
        expect(response.status).toBe(404)
        const { error } = JSON.parse(await response.text())
        return { ...error, message: error.message.replace(/image \w+/, '').replace(/request id.*/, '') }
      }),
    )
    expect(texts[0]).toEqual(texts[1])
    expect(upstreamRequests).toEqual([])
    expect(await getSpent()).toBe(0)
  })
})

describe('asynchronous image generation', () => {
  const task = (task_status: string, more: object = {}) =>
    Response.json({ output: { task_id: 't/1', task_status, ...more } })
  const body = { model: 'dall-e-3', prompt: 'a lighthouse', size: '1024x1024' }

  test('polls until it is done, survives a failed poll and charges once', async () => {
    const responses = [
      () => task('PENDING'),
      () => new Response('', { status: 502 }),
      () => task('SUCCEEDED', { results: [{ url: 'https://p.example/1.png' }] }),
    ]
    const call = await open(() => responses.shift()?.() ?? task('UNKNOWN'), ALI)
    const response = await call('/v1/images/generations', body)
    expect(await response.json()).toEqual({ data: [{ url: 'https://p.example/1.png' }] })
    expect(upstreamRequests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
      'POST /lab/api/v1/services/aigc/text2image/image-synthesis',
      'GET /lab/api/v1/tasks/t%2F1',
      'GET /lab/api/v1/tasks/t%2F1',
    ])
    expect(upstreamRequests[0]?.headers.get('x-dashscope-async')).toBe('enable')
    expect(await getSpent()).toBe(20_000)
  }, 15_000)

  test('charges nothing when the provider’s task fails', async () => {
    const responses = [
      () => task('RUNNING'),
      () => task('FAILED', { code: 'DataInspectionFailed', message: 'not this one' }),
    ]
    const call = await open(() => responses.shift()?.() ?? task('UNKNOWN'), ALI)
    const response = await call('/v1/images/generations', body)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('not this one')
    expect(await getSpent()).toBe(0)
  }, 15_000)
})

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

test('sorts rerank results by score, limits them to top_n and adds the documents', async () => {
  const results = [
    { index: 0, relevance_score: 0.1 },
    { index: 2, relevance_score: 0.9 },
    { index: 1, relevance_score: 0.5 },
  ]
  const call = await open(() => Response.json({ results, usage: { total_tokens: 50 } }), 38)
  const body = { model: 'reranker', query: 'q', documents: ['a', 'b', 'c'], top_n: 2, return_documents: true }
  const response = await call('/rerank', body)
  expect(await response.json()).toEqual({
    model: 'reranker',
    results: [
      { index: 2, relevance_score: 0.9, document: { text: 'c' } },
      { index: 1, relevance_score: 0.5, document: { text: 'b' } },
    ],
    usage: { prompt_tokens: 50, total_tokens: 50 },
  })
  expect(upstreamRequests[0]?.url).toEndWith('/v1/rerank')
  expect(await getSpent()).toBe(100)
})

test('charges moderation for its estimated input and fills in the default model', async () => {
  const call = await open(() => Response.json({ id: 'm', model: 'x', results: [{ flagged: false }] }))
  const response = await call('/v1/moderations', { input: 'four' })
  expect(await response.json()).toEqual({ id: 'm', model: 'x', results: [{ flagged: false }] })
  expect(await upstreamRequests[0]?.json()).toEqual({ input: 'four', model: 'text-moderation-stable' })
  expect(await getSpent()).toBe(1)
})

test('rejects an operation that no channel of the model supports', async () => {
  const call = await open(() => Response.json({}), 14)
  expect((await call('/v1/images/generations', { model: 'dall-e-3', prompt: 'p' })).status).toBe(404)
  expect(upstreamRequests).toEqual([])
  expect(await getSpent()).toBe(0)
})
