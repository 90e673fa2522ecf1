import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sleepMs } from '../core/clock.ts'
import { createLab, type ServedLab, serveLab } from './open-lab.ts'

const hello = (model = 'gpt-4o-mini', content = 'hello') => ({ model, messages: [{ role: 'user', content }] })

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  new Request(url, {
    method: 'POST',
    headers: { authorization: 'Bearer k', ...headers },
    body: JSON.stringify(body),
  })

const status = async (request: Request): Promise<number> => (await createLab().fetch(request)).status

describe('the lab', () => {
  test.each([
    ['the model name', post('http://lab/v1/chat/completions', hello('lab-status-418'))],
    ['the path', post('http://lab/fault/status-418/v1/chat/completions', hello())],
    ['the path below a prefix', post('http://gateway/lab/fault/status-418/v1/chat/completions', hello())],
    ['the x-lab header', post('http://lab/v1/chat/completions', hello(), { 'x-lab': 'status-418' })],
    ['the key', post('http://lab/v1/chat/completions', hello(), { authorization: 'Bearer lab-status-418' })],
    [
      'the last message',
      post('http://lab/v1/chat/completions', hello('gpt-4o', 'please [lab: status-418] fail')),
    ],
    [
      'a percent-encoded path',
      post('http://lab/fault/status-418%2Bretry-after-1/v1/chat/completions', hello()),
    ],
  ])('reads a scenario from %s', async (_, request) => {
    expect(await status(request)).toBe(418)
  })

  test('prefers the model name to the path when both name a scenario', async () => {
    const request = post('http://lab/fault/status-500/v1/chat/completions', hello('lab-status-418'))
    expect(await status(request)).toBe(418)
  })

  test('ignores a key that starts with lab- but names no fault', async () => {
    const request = post('http://lab/v1/chat/completions', hello(), { authorization: 'Bearer lab-key' })
    expect(await status(request)).toBe(200)
  })

  test('rejects an unknown fault and a figure that is too large, with a message', async () => {
    const reply = await createLab().fetch(post('http://lab/fault/explode/v1/chat/completions', hello()))
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining("no fault 'explode'")])
    const tooMuch = await createLab().fetch(post('http://lab/fault/status-9999/v1/chat/completions', hello()))
    expect([tooMuch.status, await tooMuch.text()]).toEqual([400, expect.stringContaining('at most 599')])
  })

  test('rejects a path with an invalid percent-encoding', async () => {
    expect(await status(post('http://lab/fault/%zz/v1/chat/completions', hello()))).toBe(400)
  })

  test('applies a scenario to operations without a body', async () => {
    const request = new Request('http://lab/fault/status-500/v1/models', {
      headers: { authorization: 'Bearer k' },
    })
    expect(await status(request)).toBe(500)
  })
})

describe('the response cache of the lab', () => {
  test('returns equal bytes for equal requests and others for another body or query', async () => {
    const { fetch } = createLab()
    const text = async (request: Request) => (await fetch(request)).text()
    const first = await text(post('http://lab/v1/chat/completions', hello()))
    expect(await text(post('http://lab/v1/chat/completions', hello()))).toBe(first)
    expect(await text(post('http://lab/v1/chat/completions', hello('gpt-4o')))).not.toBe(first)
    const gemini = { contents: [{ parts: [{ text: 'hi' }] }] }
    const address = 'http://lab/v1beta/models/m:streamGenerateContent'
    const key = { 'x-goog-api-key': 'k' }
    expect(await text(post(address, gemini, key))).toStartWith('{')
    expect(await text(post(`${address}?alt=sse`, gemini, key))).toStartWith('data: ')
  })

  test('does not serve requests with a revoked or missing key', async () => {
    const { fetch } = createLab()
    const sendWithKey = (key: string) =>
      fetch(post('http://lab/v1/chat/completions', hello(), { authorization: `Bearer ${key}` }))
    expect((await sendWithKey('alive')).status).toBe(200)
    expect((await sendWithKey('lab-dead-key')).status).toBe(401)
    expect((await sendWithKey('')).status).toBe(401)
  })
})

test('the page lists every way to request a fault, with its own base URL', async () => {
  const page = await (await createLab().fetch(new Request('http://gateway:3000/lab/'))).text()
  for (const way of ['http://gateway:3000/lab/fault/', 'x-lab', '[lab: ', '/control', 'stall', 'huge'])
    expect(page).toContain(way)
})

describe('the counters of the lab', () => {
  let lab: ServedLab
  beforeEach(() => {
    lab = serveLab({ port: 0 })
  })
  afterEach(() => lab.stop())

  const counts = async (path = '/control') => (await fetch(lab.url + path)).json()
  const chat = (path: string, body: object, signal?: AbortSignal) =>
    fetch(post(`${lab.url}${path}/v1/chat/completions`, body), signal ? { signal } : {})

  async function until(condition: () => Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < 100 && !(await condition()); turn++) await sleepMs(10)
    expect(await condition()).toBe(true)
  }

  test('count requests, bytes and how requests end', async () => {
    const reply = await (await chat('', hello())).text()
    const streamed = await (await chat('', { ...hello(), stream: true })).text()
    await chat('', hello('lab-reset')).catch(() => undefined)
    const bytesOut = Buffer.byteLength(reply) + Buffer.byteLength(streamed)
    expect(await counts()).toMatchObject({
      requests: 3,
      finished: 2,
      dropped: 1,
      aborted: 0,
      inFlight: 0,
      bytesOut,
    })
  })

  test.each(['stall-1', 'hang', 'pace-20+tokens-1000', 'chatter', 'slow-headers-60000'])(
    'count a client that disconnects during %s as aborted',
    async fault => {
      const abort = new AbortController()
      const response = chat(`/fault/${fault}`, { ...hello(), stream: true }, abort.signal).catch(
        () => undefined,
      )
      await until(async () => (await counts()).inFlight === 1)
      await sleepMs(30)
      abort.abort()
      await response
      await until(async () => (await counts()).aborted === 1)
      expect(await counts()).toMatchObject({ requests: 1, inFlight: 0, finished: 0 })
    },
  )

  test('stay small for a slow reader, because the body is generated as it is read', async () => {
    const reply = await chat('/fault/million', { ...hello(), stream: true })
    const reader = reply.body?.getReader()
    await reader?.read()
    await sleepMs(100)
    expect((await counts()).bytesOut).toBeLessThan(60_000_000)
    await reader?.cancel()
    await until(async () => (await counts()).aborted === 1)
  })

  test('are reset by DELETE', async () => {
    await chat('/lane/a', hello())
    expect(await (await fetch(`${lab.url}/control`, { method: 'DELETE' })).json()).toMatchObject({
      requests: 0,
      lanes: {},
    })
  })

  test('a namespace fails and recovers on its own and records its last request', async () => {
    const set = (scenario: string) => fetch(`${lab.url}/control/lanes/a`, { method: 'PUT', body: scenario })
    await set('status-500')
    expect((await chat('/lane/a', hello())).status).toBe(500)
    expect((await chat('/lane/b', hello())).status).toBe(200)
    await set('')
    expect((await chat('/lane/a', hello())).status).toBe(200)
    const { requests, last } = await counts('/control/lanes/a')
    expect([requests, last.method, last.path]).toEqual([2, 'POST', '/lane/a/v1/chat/completions'])
    expect([last.headers.authorization, JSON.parse(last.body)]).toEqual(['Bearer k', hello()])
    expect((await counts()).requests).toBe(3)
    expect((await set('explode')).status).toBe(400)
  })
})
