import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { PROJECT, runTollgate } from '../harness/program.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { INSTALLED_PROXIES, type RunningProxy, startProxy } from './start-proxy.ts'

const WORDS = 5
const MODEL = 'gpt-4o'
const BODY_BYTES = 32 * 1024 * 1024

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: MODEL, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/** The first turn is given. */
function createTurns() {
  let given = 1
  const waiting: (() => void)[] = []
  return {
    give() {
      const resolve = waiting.shift()
      if (resolve) resolve()
      else given += 1
    },
    next(): Promise<void> {
      if (given === 0) return new Promise(resolve => waiting.push(resolve))
      given -= 1
      return Promise.resolve()
    },
  }
}

/** Resolves before each word of the upstream. Tests replace it. */
let untilNextWord = async (): Promise<void> => undefined

const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  maxRequestBodySize: 2 * BODY_BYTES,
  async fetch(call) {
    await call.bytes()
    const encoder = new TextEncoder()
    const events = new ReadableStream({
      async start(controller) {
        for (let word = 0; word < WORDS; word += 1) {
          await untilNextWord()
          controller.enqueue(encoder.encode(chunk({ content: `word ${word} ` })))
        }
        controller.enqueue(encoder.encode(`${chunk({}, 'stop')}data: [DONE]\n\n`))
        controller.close()
      },
    })
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
  },
})

let site: Site
let key: string
beforeAll(async () => {
  site = await startSite({ environment: { TRUSTED_PROXIES: '127.0.0.1', BASE_PATH: '/gw' } })
  await addLabChannel(site.root, { url: upstream.url.origin }, { provider: 'openai', models: [MODEL] })
  key = (await addToken(site.root)).key
})
afterAll(async () => {
  await site?.stop()
  await upstream.stop(true)
})

const HEADERS = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
const chat = (content: unknown): string =>
  JSON.stringify({ model: MODEL, stream: true, messages: [{ role: 'user', content }] })

const send = (url: string, body: string): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...HEADERS, authorization: `Bearer sk-${key}` },
    body,
    decompress: false,
  })

test('a file is shipped for every proxy that the documentation names', () => {
  const files = readdirSync(join(PROJECT, 'deploy', 'proxies'))
  expect(files.toSorted()).toEqual(['Caddyfile', 'haproxy.cfg', 'nginx.conf', 'traefik.yaml'])
})

describe.each(INSTALLED_PROXIES)('%s', name => {
  let proxy: RunningProxy
  beforeAll(async () => {
    proxy = await startProxy(name, site.gateway.url)
  })
  afterAll(() => proxy?.stop())

  test('passes the events of a stream on as they come, to a client that accepts compression', async () => {
    const turns = createTurns()
    untilNextWord = turns.next
    const response = await send(proxy.url, chat('hello'))
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null])
    const decoder = new TextDecoder()
    let words = 0
    // The upstream says a word once the client has the former one: a proxy that held it back would wait forever.
    for await (const piece of response.body ?? []) {
      const arrived = decoder.decode(piece).split('word ').length - 1
      words += arrived
      for (let turn = 0; turn < arrived; turn += 1) turns.give()
    }
    untilNextWord = async () => undefined
    expect(words).toBe(WORDS)
  })

  test('passes a body of 32 MiB', async () => {
    const image = `data:image/png;base64,${'A'.repeat(BODY_BYTES)}`
    const response = await send(proxy.url, chat([{ type: 'image_url', image_url: { url: image } }]))
    expect([response.status, (await response.text()).slice(-14)]).toEqual([200, 'data: [DONE]\n\n'])
  })

  test('passes a WebSocket', async () => {
    const protocols = ['realtime', `openai-insecure-api-key.sk-${key}`]
    const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/v1/responses`, protocols)
    const first = await new Promise((resolve, reject) => {
      socket.onerror = () => reject(new Error('the socket failed'))
      socket.onopen = () =>
        socket.send(JSON.stringify({ type: 'response.create', model: MODEL, input: 'hi' }))
      socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)))
    })
    socket.close()
    expect(first).toHaveProperty('type')
  })

  test('states the address of the client, which no client can forge', async () => {
    const { key: own } = await addToken(site.root, { allow_ips: '127.0.0.2' })
    const statusFrom = (localAddress: string, headers = {}) =>
      new Promise<number | undefined>((resolve, reject) => {
        const url = `${proxy.url}/v1/models`
        request(url, { localAddress, headers: { authorization: `Bearer sk-${own}`, ...headers } }, reply => {
          reply.resume()
          resolve(reply.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await statusFrom('127.0.0.2')).toBe(200)
    expect(await statusFrom('127.0.0.3')).toBe(403)
    expect(await statusFrom('127.0.0.3', { 'x-forwarded-for': '127.0.0.2' })).toBe(403)
  })

  test('the doctor finds nothing between clients and the gateway', async () => {
    const environment = { DATA_DIR: site.gateway.dataDir, LANG: 'en_US.UTF-8' }
    const below = await startProxy(name, site.gateway.url, { path: '/gw' })
    try {
      const { output } = await runTollgate(['doctor', '--url', below.url], environment)
      expect(output).toContain('8 checks: ok 8, warn 0, fail 0')
    } finally {
      await below.stop()
    }
  })

  test('serves the gateway below a path', async () => {
    const below = await startProxy(name, site.gateway.url, { path: '/gw' })
    try {
      const stream = await (await send(below.url, chat('hello'))).text()
      expect(stream).toEndWith('data: [DONE]\n\n')
      const docs = await fetch(`${below.url}/docs`, { redirect: 'manual' })
      expect(docs.headers.get('location')).toBe('/gw/docs/')
      expect((await fetch(below.url.replace('/gw', '/other'))).headers.get('x-request-id')).toBeNull()
    } finally {
      await below.stop()
    }
  })
})
