import { afterEach, describe, expect, test } from 'bun:test'
import { auditLedger } from '../../ledger/audit.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'

const WALLET = 1_000_000
const SILICONFLOW = 40
const ALI = 17
const PRICES = {
  modelRatio: {
    'tts-1': 7.5,
    'whisper-1': 15,
    'gpt-image-1': 2.5,
    reranker: 2,
    'text-moderation-stable': 1,
    flux: 8,
  },
  modelPrice: { 'dall-e-3': 0.04 },
  completionRatio: {},
  cacheRatio: {},
  createCacheRatio: {},
  groupRatio: { default: 1 },
}
const MODELS = 'dall-e-3,tts-1,whisper-1,gpt-image-1,reranker,text-moderation-stable,flux'

type Upstream = (request: Request) => Response | Promise<Response>

let opened: TestRelay | undefined
const asked: Request[] = []

/** A relay whose upstream answers so, and a key for it. */
async function open(
  upstream: Upstream,
  type = 1,
): Promise<(path: string, body: unknown) => Promise<Response>> {
  asked.length = 0
  const relay = await TestRelay.open({
    settings: { prices: PRICES },
    wallet: WALLET,
    send: sendThrough(async request => {
      asked.push(request.clone())
      return upstream(request)
    }),
  })
  opened = relay
  await relay.addChannel({ type, models: MODELS })
  const key = await relay.addToken()
  return (path, body) => relay.request(path, key, body)
}

/** Whatever a test did, the books must balance and no hold may stay open. */
afterEach(async () => {
  if (!opened) return
  const { drift, findings } = await auditLedger(opened.db)
  const holds = await opened.db.selectFrom('holds').selectAll().execute()
  await opened.close()
  opened = undefined
  expect({ drift, findings, holds }).toEqual({ drift: 0, findings: [], holds: [] })
})

async function spent(): Promise<number> {
  const user = await opened?.db.selectFrom('users').select('quota').executeTakeFirstOrThrow()
  return WALLET - (user?.quota ?? 0)
}

const lastLog = () =>
  opened?.db.selectFrom('logs').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()

function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

/** Mono, 8 bits, a thousand samples to the second: as many bytes as milliseconds. */
function wavOf(ms: number): Blob {
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

describe('pictures', () => {
  const made = (count: number) =>
    Response.json({
      created: 1,
      data: Array.from({ length: count }, () => ({ url: 'https://p.example/1.png' })),
    })

  test('cost the price of the call by size, quality and number', async () => {
    const ask = await open(() => made(2))
    const body = { model: 'dall-e-3', prompt: 'a lighthouse', size: '1792x1024', quality: 'hd', n: 2 }
    const answer = await ask('/v1/images/generations', body)
    expect(await answer.json()).toMatchObject({ created: 1, data: [{ url: 'https://p.example/1.png' }, {}] })
    expect(await spent()).toBe(120_000)
    expect(await asked[0]?.json()).toEqual(body)
  })

  test.each(['constructor', '__proto__', 'toString'])(
    'of the size %p cost what plain ones cost',
    async size => {
      const ask = await open(() => made(3))
      await ask('/v1/images/generations', { model: 'dall-e-3', prompt: 'a lighthouse', size, n: 3 })
      expect(await spent()).toBe(60_000)
    },
  )

  test('of a quality that is no word of ours are held at the dearest', async () => {
    const usage = { input_tokens: 10, output_tokens: 100 }
    const ask = await open(() => Response.json({ data: [{ b64_json: 'AA' }], usage }))
    const body = { model: 'gpt-image-1', prompt: 'p', quality: 'constructor' }
    expect((await ask('/v1/images/generations', body)).status).toBe(200)
    expect(await spent()).toBe(Math.round((10 + 100 * 8) * 2.5))
  })

  test('cost only what was made', async () => {
    const ask = await open(() => made(1))
    await ask('/v1/images/generations', { model: 'dall-e-3', prompt: 'a lighthouse', n: 3 })
    expect(await spent()).toBe(20_000)
  })

  test('cost their tokens where the vendor counts them', async () => {
    const usage = { input_tokens: 113, output_tokens: 272, input_tokens_details: { image_tokens: 100 } }
    const ask = await open(() => Response.json({ created: 1, data: [{ b64_json: 'AA' }], usage }))
    const answer = await ask('/v1/images/generations', { model: 'gpt-image-1', prompt: 'p', quality: 'low' })
    expect(await answer.json()).toMatchObject({ usage, data: [{ b64_json: 'AA' }] })
    expect(await spent()).toBe(Math.round((13 + 100 * 2 + 272 * 8) * 2.5))
  })

  test('cost a quarter of a cent each at ratio 1, where tokens are priced and not counted', async () => {
    const ask = await open(() => made(2))
    await ask('/v1/images/generations', { model: 'flux', prompt: 'p', n: 2 })
    expect(await spent()).toBe(20_000)
  })

  test('are fetched and embedded for a client that wants their bytes', async () => {
    const host = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('PICTURE') })
    try {
      const url = `http://127.0.0.1:${host.port}/1.png`
      const ask = await open(() => Response.json({ data: [{ url }, { url: 'http://127.0.0.2:1/gone.png' }] }))
      const body = { model: 'dall-e-3', prompt: 'p', n: 2, response_format: 'b64_json' }
      const answer = await ask('/v1/images/generations', body)
      expect(await answer.json()).toEqual({
        data: [
          { b64_json: Buffer.from('PICTURE').toString('base64') },
          { url: 'http://127.0.0.2:1/gone.png' },
        ],
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
  ])('refuses %p and charges nothing', async (body, message) => {
    const ask = await open(() => made(1))
    const answer = await ask('/v1/images/generations', { model: 'dall-e-3', ...body })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain(JSON.stringify(message).slice(1, -1))
    expect(asked).toEqual([])
    expect(await spent()).toBe(0)
  })

  test('cost nothing when the vendor refuses or makes none', async () => {
    const ask = await open(() => Response.json({ error: { message: 'no', code: 'x' } }, { status: 400 }))
    expect((await ask('/v1/images/generations', { model: 'dall-e-3', prompt: 'p' })).status).toBe(400)
    const empty = await open(() => Response.json({ created: 1, data: [] }))
    expect((await empty('/v1/images/generations', { model: 'dall-e-3', prompt: 'p' })).status).toBe(502)
    expect(await spent()).toBe(0)
  })

  test('made of others are sent as a form with their names, types and bytes', async () => {
    const ask = await open(() => made(1))
    const form = formOf({ model: 'dall-e-3', prompt: 'a hat', size: '512x512', user: 'u' })
    form.append('image[]', new File(['ONE'], 'one.png', { type: 'image/png' }))
    form.append('image[]', new File(['TWO'], 'two.webp', { type: 'image/webp' }))
    form.append('mask', new File(['MASK'], 'mask.png', { type: 'image/png' }))
    expect((await ask('/v1/images/edits', form)).status).toBe(200)
    const sent = await asked[0]?.formData()
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
    expect(await spent()).toBe(9_000)
  })

  test('on the way pass byte for byte and are charged by the last event', async () => {
    const events = [
      'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"AA"}\n\n',
      'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"AB","usage":{"input_tokens":10,"output_tokens":100}}\n\n',
    ]
    const ask = await open(
      () => new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } }),
    )
    const answer = await ask('/v1/images/generations', { model: 'gpt-image-1', prompt: 'p', stream: true })
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    expect(await answer.text()).toBe(events.join(''))
    expect(await spent()).toBe((10 + 100 * 8) * 2.5)
  })

  test.each([
    { end: 'whole', type: 'image_generation.completed' },
    { end: 'broken off', type: 'image_generation.partial_image' },
  ])(
    'on the way, $end, cost what those cost that come at once, where no tokens are counted',
    async ({ type }) => {
      const event = `data: ${JSON.stringify({ type, b64_json: 'AA' })}\n\n`
      const ask = await open(() => new Response(event, { headers: { 'content-type': 'text/event-stream' } }))
      const body = { model: 'flux', prompt: 'a lighthouse', stream: true }
      await (await ask('/v1/images/generations', body)).text()
      expect(await spent()).toBe(10_000)
    },
  )

  test('on the way are charged by the last event where the vendor leaves out its last blank line', async () => {
    const event = {
      type: 'image_generation.completed',
      b64_json: 'AB',
      usage: { input_tokens: 10, output_tokens: 100 },
    }
    const ask = await open(
      () =>
        new Response(`data: ${JSON.stringify(event)}`, { headers: { 'content-type': 'text/event-stream' } }),
    )
    await (await ask('/v1/images/generations', { model: 'gpt-image-1', prompt: 'p', stream: true })).text()
    expect(await spent()).toBe((10 + 100 * 8) * 2.5)
  })
})

describe('pictures that the vendor makes on its own', () => {
  const task = (task_status: string, more: object = {}) =>
    Response.json({ output: { task_id: 't/1', task_status, ...more } })
  const body = { model: 'dall-e-3', prompt: 'a lighthouse', size: '1024x1024' }

  test('are asked for until they are done, past a vendor that stumbles, and charged once', async () => {
    const answers = [
      () => task('PENDING'),
      () => new Response('', { status: 502 }),
      () => task('SUCCEEDED', { results: [{ url: 'https://p.example/1.png' }] }),
    ]
    const ask = await open(() => answers.shift()?.() ?? task('UNKNOWN'), ALI)
    const answer = await ask('/v1/images/generations', body)
    expect(await answer.json()).toEqual({ data: [{ url: 'https://p.example/1.png' }] })
    expect(asked.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
      'POST /lab/api/v1/services/aigc/text2image/image-synthesis',
      'GET /lab/api/v1/tasks/t%2F1',
      'GET /lab/api/v1/tasks/t%2F1',
    ])
    expect(asked[0]?.headers.get('x-dashscope-async')).toBe('enable')
    expect(await spent()).toBe(20_000)
  }, 15_000)

  test('cost nothing when the work fails there', async () => {
    const answers = [
      () => task('RUNNING'),
      () => task('FAILED', { code: 'DataInspectionFailed', message: 'not this one' }),
    ]
    const ask = await open(() => answers.shift()?.() ?? task('UNKNOWN'), ALI)
    const answer = await ask('/v1/images/generations', body)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('not this one')
    expect(await spent()).toBe(0)
  }, 15_000)
})

describe('speech', () => {
  const sound = new Uint8Array(100_000).map((_, index) => index % 251)
  const body = { model: 'tts-1', input: '你好, world', voice: 'alloy' }

  test('passes the bytes on with their type and costs its characters', async () => {
    const ask = await open(() => new Response(sound, { headers: { 'content-type': 'audio/mpeg' } }))
    const answer = await ask('/v1/audio/speech', body)
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(sound)
    expect(await spent()).toBe(Math.round(9 * 7.5))
    expect(await lastLog()).toMatchObject({ type: 2, prompt_tokens: 9, completion_tokens: 0, is_stream: 0 })
  })

  test('costs nothing when it ends before the first byte, or is an error in disguise', async () => {
    const ask = await open(() => new Response(null, { headers: { 'content-type': 'audio/mpeg' } }))
    expect((await ask('/v1/audio/speech', body)).status).toBe(502)
    const disguised = await open(() => Response.json({ error: { message: 'no voice', code: 'v' } }))
    expect((await disguised('/v1/audio/speech', body)).status).toBe(502)
    expect(await spent()).toBe(0)
  })

  test('is read no faster than the client reads it', async () => {
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
    const ask = await open(counting)
    const reader = (await ask('/v1/audio/speech', body)).body?.getReader()
    for (let reads = 0; reads < 5; reads += 1) await reader?.read()
    await Bun.sleep(20)
    expect(pulls).toBeLessThan(10)
    await reader?.cancel()
    expect(await spent()).toBe(Math.round(9 * 7.5))
  })

  test('is charged once when the client leaves in the middle', async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: stream => stream.enqueue(new Uint8Array(1000)) }), {
        headers: { 'content-type': 'audio/mpeg' },
      })
    const ask = await open(endless)
    const reader = (await ask('/v1/audio/speech', body)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(await spent()).toBe(Math.round(9 * 7.5))
  })

  test('breaks off where the vendor breaks off, and is charged', async () => {
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
    const ask = await open(broken)
    const answer = await ask('/v1/audio/speech', body)
    await expect(answer.arrayBuffer()).rejects.toThrow()
    expect(await spent()).toBe(Math.round(9 * 7.5))
  })
})

describe('transcription', () => {
  const form = (more: Record<string, string> = {}) =>
    formOf({ model: 'whisper-1', file: wavOf(61_500), ...more })

  test('costs a thousand tokens to the minute, every second begun counts', async () => {
    const ask = await open(() => Response.json({ text: 'hello' }))
    const answer = await ask('/v1/audio/transcriptions', form({ language: 'en' }))
    expect(await answer.json()).toEqual({ text: 'hello' })
    expect(await spent()).toBe(Math.round((62 / 60) * 1000) * 15)
    const sent = await asked[0]?.formData()
    const file = sent?.get('file')
    expect(file instanceof File && [file.name, file.size]).toEqual(['speech.wav', 61_544])
    expect(sent?.get('language')).toBe('en')
  })

  test("costs what the vendor's own clock says", async () => {
    const ask = await open(() => Response.json({ text: 'hello', duration: 29.2 }))
    await ask('/v1/audio/translations', form({ response_format: 'verbose_json' }))
    expect(asked[0]?.url).toEndWith('/v1/audio/translations')
    expect(await spent()).toBe(500 * 15)
  })

  test.each([
    ['text', 'text/plain'],
    ['srt', 'application/x-subrip'],
    ['vtt', 'text/vtt'],
  ])('gives %s as the vendor wrote it', async (response_format, type) => {
    const ask = await open(() => new Response('WRITTEN\n', { headers: { 'content-type': 'text/plain' } }))
    const answer = await ask('/v1/audio/transcriptions', form({ response_format }))
    expect(answer.headers.get('content-type')).toContain(type)
    expect(await answer.text()).toBe('WRITTEN\n')
  })

  test('is written in the form that was asked for where the vendor knows JSON only', async () => {
    const answer = { text: 'Hello there.', segments: [{ start: 0, end: 61.25, text: ' Hello there.' }] }
    const ask = await open(() => Response.json(answer), SILICONFLOW)
    const srt = await ask('/v1/audio/transcriptions', form({ response_format: 'srt' }))
    expect(await srt.text()).toBe('1\n00:00:00,000 --> 00:01:01,250\nHello there.\n')
    expect((await asked[0]?.formData())?.has('response_format')).toBe(false)
    const vtt = await ask('/v1/audio/transcriptions', form({ response_format: 'vtt' }))
    expect(await vtt.text()).toBe('WEBVTT\n\n00:00:00.000 --> 00:01:01.250\nHello there.\n')
  })

  test('wants a file', async () => {
    const ask = await open(() => Response.json({ text: '' }))
    const answer = await ask('/v1/audio/transcriptions', formOf({ model: 'whisper-1', file: 'text' }))
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('needed a file')
  })
})

test('reranking puts the best first, no more than were asked for, with their documents', async () => {
  const results = [
    { index: 0, relevance_score: 0.1 },
    { index: 2, relevance_score: 0.9 },
    { index: 1, relevance_score: 0.5 },
  ]
  const ask = await open(() => Response.json({ results, usage: { total_tokens: 50 } }), 38)
  const body = { model: 'reranker', query: 'q', documents: ['a', 'b', 'c'], top_n: 2, return_documents: true }
  const answer = await ask('/rerank', body)
  expect(await answer.json()).toEqual({
    model: 'reranker',
    results: [
      { index: 2, relevance_score: 0.9, document: { text: 'c' } },
      { index: 1, relevance_score: 0.5, document: { text: 'b' } },
    ],
    usage: { prompt_tokens: 50, total_tokens: 50 },
  })
  expect(asked[0]?.url).toEndWith('/v1/rerank')
  expect(await spent()).toBe(100)
})

test('moderation costs its estimated input, and the model may be left out', async () => {
  const ask = await open(() => Response.json({ id: 'm', model: 'x', results: [{ flagged: false }] }))
  const answer = await ask('/v1/moderations', { input: 'four' })
  expect(await answer.json()).toEqual({ id: 'm', model: 'x', results: [{ flagged: false }] })
  expect(await asked[0]?.json()).toEqual({ input: 'four', model: 'text-moderation-stable' })
  expect(await spent()).toBe(1)
})

test('an operation that no channel of the model can do is refused, not sent somewhere', async () => {
  const ask = await open(() => Response.json({}), 14)
  expect((await ask('/v1/images/generations', { model: 'dall-e-3', prompt: 'p' })).status).toBe(503)
  expect(asked).toEqual([])
  expect(await spent()).toBe(0)
})
