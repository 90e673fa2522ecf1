import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { type Lab, openLab } from '../lab/open-lab.ts'
import { readAnswerText, send } from './send.ts'

let lab: Lab
let server: Server<undefined>

beforeAll(() => {
  lab = openLab()
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: lab.fetch })
})
afterAll(() => server.stop(true))

const sendTo = (script: string, signal = new AbortController().signal, headersTimeoutMs = 5_000) =>
  send(
    {
      url: `http://127.0.0.1:${server.port}/lane/send/fault/${script}/v1/chat/completions`,
      headers: { authorization: 'Bearer lab', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'lab', messages: [{ role: 'user', content: 'hello' }] }),
    },
    { waiter: { signal }, headersTimeoutMs, proxy: undefined },
  )

async function answered(script: string) {
  const sent = await sendTo(script)
  if (sent.kind === 'failure') throw new Error(sent.failure.message)
  return sent
}

/** What the upstream itself saw of the calls so far. */
async function abortedCalls(): Promise<number> {
  const response = await lab.fetch(new Request('http://lab.test/control/lanes/send'))
  return ((await response.json()) as { aborted: number }).aborted
}

async function untilAborted(count: number): Promise<void> {
  for (let tries = 0; tries < 100 && (await abortedCalls()) < count; tries += 1) await Bun.sleep(10)
  expect(await abortedCalls()).toBe(count)
}

test('a body that does not end in time is a timeout, and the upstream is told', async () => {
  const before = await abortedCalls()
  const reading = readAnswerText(await answered('stall-0'), 50)
  await expect(reading).rejects.toMatchObject({ code: 'upstream_timeout', status: 504 })
  await untilAborted(before + 1)
})

test('headers that do not come in time are a timeout, and the upstream is told', async () => {
  const before = await abortedCalls()
  const sent = await sendTo('hang', undefined, 50)
  expect(sent).toMatchObject({ kind: 'failure', failure: { status: 504, code: 'upstream_timeout' } })
  await untilAborted(before + 1)
})

test.each([0, 150])('a client that leaves after %d ms, before the headers, ends the call', async ms => {
  const before = await abortedCalls()
  const client = new AbortController()
  setTimeout(() => client.abort(), ms)
  expect(await sendTo('hang', client.signal)).toMatchObject({ failure: { status: 499 } })
  await untilAborted(before + 1)
})

test('a client that leaves within the body ends the call', async () => {
  const before = await abortedCalls()
  const client = new AbortController()
  const sent = await sendTo('stall-0', client.signal)
  if (sent.kind === 'failure') throw new Error(sent.failure.message)
  setTimeout(() => client.abort(), 100)
  await expect(readAnswerText(sent, 5_000)).rejects.toMatchObject({ code: 'upstream_bad_answer' })
  await untilAborted(before + 1)
})

test('the signal of who waits is not asked for while its call is short', async () => {
  let asked = 0
  const waiter = {
    get signal() {
      asked += 1
      return new AbortController().signal
    },
  }
  const url = `http://127.0.0.1:${server.port}/lane/send/v1/chat/completions`
  const headers = { authorization: 'Bearer lab', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'lab', messages: [{ role: 'user', content: 'hello' }] })
  const sent = await send({ url, headers, body }, { waiter, headersTimeoutMs: 5_000, proxy: undefined })
  expect(sent).toMatchObject({ kind: 'answer', response: { status: 200 } })
  await Bun.sleep(100)
  expect(asked).toBe(0)
})

test('an answer that is cancelled ends the call', async () => {
  const before = await abortedCalls()
  const sent = await answered('stall-0')
  sent.response.cancel()
  await untilAborted(before + 1)
})

test('an answer that breaks off says so in the system’s word, without an address', async () => {
  const reading = readAnswerText(await answered('cut'), 5_000)
  await expect(reading).rejects.toMatchObject({
    code: 'upstream_bad_answer',
    message: expect.stringMatching(/broke off \([A-Z]+\)$/),
  })
})

test('what cannot be reached is a failure, not an exception', async () => {
  const unreachable = { url: 'http://127.0.0.1:1/v1', headers: {}, body: '{}' }
  const options = { waiter: new AbortController(), headersTimeoutMs: 5_000, proxy: undefined }
  const sent = await send(unreachable, options)
  expect(sent).toMatchObject({ kind: 'failure', failure: { status: 502, code: 'upstream_unreachable' } })
  expect(JSON.stringify(sent)).not.toContain('127.0.0.1')
})

test('a proxy that the environment names is asked, as far as the environment says', async () => {
  const seen: string[] = []
  const proxy = Bun.serve({
    port: 0,
    fetch(request) {
      seen.push(request.url)
      return new Response('from the proxy')
    },
  })
  const program = `const { openSend, readAnswerText } = await import(${JSON.stringify(`${import.meta.dir}/send.ts`)})
    const options = { waiter: new AbortController(), headersTimeoutMs: 5000, proxy: undefined }
    const request = { url: 'http://vendor.invalid/v1', headers: {}, body: '{}' }
    const sent = await openSend({ isBehindProxy: true })(request, options)
    console.log(await readAnswerText(sent, 5000))
    process.exit(0)`
  const environment = { ...process.env, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }
  const asked = Bun.spawn([process.execPath, '-e', program], { env: environment })
  expect(await new Response(asked.stdout).text()).toBe('from the proxy\n')
  expect(seen).toEqual(['http://vendor.invalid/v1'])
  await proxy.stop(true)
})
