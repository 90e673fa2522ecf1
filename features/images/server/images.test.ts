import { describe, expect, test } from 'bun:test'
import { createForm, describeCharges } from '#server/testing/charged-relay.ts'
import { testPrices } from '#server/testing/test-prices.ts'

const OPENAI = 1
const ANTHROPIC = 14
const ALI = 17
const XINFERENCE = 47

const { open, getSpent, findLastLog, upstreamRequests } = describeCharges({
  prices: testPrices({
    ModelRatio: { 'gpt-image-1': 2.5, flux: 8 },
    ModelPrice: { 'dall-e-2': 0.02, 'dall-e-3': 0.04 },
  }),
  models: 'dall-e-2,dall-e-3,gpt-image-1,flux',
})

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
