import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { MIB } from '../core/limits.ts'
import { createLab, type Lab } from '../lab/open-lab.ts'
import { openUnresponsivePort } from '../testing/unresponsive-port.ts'
import { readResponseText } from './read-response.ts'
import { createConnect, type SendOptions, send } from './send.ts'

let lab: Lab
let server: Server<undefined>

beforeAll(() => {
  lab = createLab()
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: lab.fetch })
})
afterAll(() => server.stop(true))

const sendTo = (script: string, options: Partial<SendOptions> = {}) =>
  send(
    {
      url: `http://127.0.0.1:${server.port}/lane/send${script && `/fault/${script}`}/v1/chat/completions`,
      headers: { authorization: 'Bearer lab', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'lab', messages: [{ role: 'user', content: 'hello' }] }),
    },
    { signal: new AbortController().signal, headersTimeoutMs: 5_000, proxy: undefined, ...options },
  )

async function receive(script: string, options?: Partial<SendOptions>) {
  const sent = await sendTo(script, options)
  if (sent.kind === 'failure') throw new Error(sent.failure.message)
  return sent
}

/** The number of aborted calls as the upstream counts them. */
async function countAborted(): Promise<number> {
  const response = await lab.fetch(new Request('http://lab.test/control/lanes/send'))
  return ((await response.json()) as { aborted: number }).aborted
}

async function expectAborted(count: number): Promise<void> {
  for (let tries = 0; tries < 100 && (await countAborted()) < count; tries += 1) await Bun.sleep(10)
  expect(await countAborted()).toBe(count)
}

test('times out a body that does not end and aborts the call', async () => {
  const before = await countAborted()
  const reading = readResponseText(await receive('stall-0'), 50)
  await expect(reading).rejects.toMatchObject({ code: 'upstream_timeout', status: 504 })
  await expectAborted(before + 1)
})

test('times out when no headers arrive and aborts the call', async () => {
  const before = await countAborted()
  const sent = await sendTo('hang', { headersTimeoutMs: 50 })
  expect(sent).toMatchObject({ kind: 'failure', failure: { status: 504, code: 'upstream_timeout' } })
  await expectAborted(before + 1)
})

test.each([0, 100])('aborts the call when the client disconnects after %p ms', async ms => {
  const before = await countAborted()
  const client = new AbortController()
  setTimeout(() => client.abort(), ms)
  const sent = await sendTo('hang', { signal: client.signal })
  expect(sent).toMatchObject({ failure: { status: 499 } })
  await expectAborted(before + 1)
})

test('fails at once when the client has disconnected before', async () => {
  const sent = await sendTo('hang', { signal: AbortSignal.abort() })
  expect(sent).toMatchObject({ failure: { status: 499 } })
})

test('aborts the call when the client disconnects within the body', async () => {
  const before = await countAborted()
  const client = new AbortController()
  const sent = await receive('stall-0', { signal: client.signal })
  const reading = Promise.allSettled([readResponseText(sent, 5_000)])
  await Bun.sleep(100)
  client.abort()
  expect(await reading).toMatchObject([{ reason: { code: 'upstream_bad_answer' } }])
  await expectAborted(before + 1)
})

test('aborts the call when the response is cancelled', async () => {
  const before = await countAborted()
  const sent = await receive('stall-0')
  sent.response.cancel()
  await expectAborted(before + 1)
})

test('reports a broken body with the system error code and without the address', async () => {
  const reading = readResponseText(await receive('cut'), 5_000)
  await expect(reading).rejects.toMatchObject({
    code: 'upstream_bad_answer',
    message: expect.stringMatching(/was interrupted \([A-Z]+\)$/),
  })
})

test('returns a failure when the upstream is unreachable', async () => {
  const unreachable = { url: 'http://127.0.0.1:1/v1', headers: {}, body: '{}' }
  const options = { signal: new AbortController().signal, headersTimeoutMs: 5_000, proxy: undefined }
  const sent = await send(unreachable, options)
  expect(sent).toMatchObject({ kind: 'failure', failure: { status: 502, code: 'upstream_unreachable' } })
  expect(JSON.stringify(sent)).not.toContain('127.0.0.1')
})

test('times out a websocket connection long before its headers timeout', async () => {
  const port = await openUnresponsivePort()
  const url = `ws://127.0.0.1:${port.port}/v1/realtime`
  const options = { signal: new AbortController().signal, headersTimeoutMs: 600_000, proxy: undefined }
  expect(await createConnect(200)({ url, headers: {} }, options)).toMatchObject({
    kind: 'failure',
    failure: { status: 504, code: 'upstream_timeout' },
  })
  port.close()
})

test('sends a form with the files and names that it was given', async () => {
  const form = new FormData()
  form.set('model', 'whisper-1')
  form.set('file', new File(['sound'], 'a name.mp3', { type: 'audio/mpeg' }))
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const received = await request.formData()
      const file = received.get('file')
      if (!(file instanceof File)) return new Response('no file')
      return new Response([received.get('model'), file.name, file.type, await file.text()].join('|'))
    },
  })
  const options = { signal: new AbortController().signal, headersTimeoutMs: 5_000, proxy: undefined }
  const sent = await send(
    { url: upstream.url.href, headers: { authorization: 'Bearer lab' }, body: form },
    options,
  )
  if (sent.kind === 'failure') throw new Error(sent.failure.message)
  expect(await readResponseText(sent, 5_000)).toBe('whisper-1|a name.mp3|audio/mpeg|sound')
  await upstream.stop(true)
})

test('uses the proxy that the environment names', async () => {
  const requestedUrls: string[] = []
  const accepted: (string | null)[] = []
  const proxy = Bun.serve({
    port: 0,
    fetch(request) {
      requestedUrls.push(request.url)
      accepted.push(request.headers.get('accept-encoding'))
      return request.url.endsWith('bomb')
        ? new Response(Bun.gzipSync('a'.repeat(8 * MIB)), { headers: { 'content-encoding': 'gzip' } })
        : new Response('from the proxy')
    },
  })
  const program = `const { createSend } = await import(${JSON.stringify(`${import.meta.dir}/send.ts`)})
    const { readResponseText } = await import(${JSON.stringify(`${import.meta.dir}/read-response.ts`)})
    const options = { signal: new AbortController().signal, headersTimeoutMs: 5000, proxy: undefined }
    const request = { url: 'http://provider.invalid/v1', headers: {}, body: '{}' }
    const send = createSend({ isBehindProxy: true })
    console.log(await readResponseText(await send(request, options), 5000))
    const reading = readResponseText(await send({ ...request, url: request.url + '/bomb' }, options), 5000)
    console.log(await reading.catch(({ code }) => code))
    process.exit(0)`
  const environment = { ...process.env, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }
  const child = Bun.spawn([process.execPath, '-e', program], { env: environment })
  expect(await new Response(child.stdout).text()).toBe('from the proxy\nupstream_bad_answer\n')
  expect(requestedUrls).toEqual(['http://provider.invalid/v1', 'http://provider.invalid/v1/bomb'])
  expect(accepted).toEqual(['identity', 'identity'])
  await proxy.stop(true)
})
