import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { elapsedMs } from '../../core/clock.ts'
import { type Lab, openLab } from '../../lab/open-lab.ts'
import { openDeafPort } from '../../testing/deaf-port.ts'
import { connect, readAnswerText, type SendOptions, send } from './send.ts'
import { takesConnections } from './tcp-probe.ts'

let lab: Lab
let server: Server<undefined>

beforeAll(() => {
  lab = openLab()
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
    { waiter: new AbortController(), headersTimeoutMs: 5_000, proxy: undefined, ...options },
  )

async function answered(script: string, options?: Partial<SendOptions>) {
  const sent = await sendTo(script, options)
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
  const sent = await sendTo('hang', { headersTimeoutMs: 50 })
  expect(sent).toMatchObject({ kind: 'failure', failure: { status: 504, code: 'upstream_timeout' } })
  await untilAborted(before + 1)
})

const waitingFor = (ms: number | undefined): Partial<SendOptions> =>
  ms === undefined ? {} : { waitingSinceMs: elapsedMs() - ms }

test.each([
  [0, undefined],
  [100, undefined],
  [0, 0],
  [100, 0],
  [0, 60_000],
])('a client that leaves after %p ms and had waited for %p ms ends the call', async (ms, waitedMs) => {
  const before = await abortedCalls()
  const waiter = new AbortController()
  setTimeout(() => waiter.abort(), ms)
  const sent = await sendTo('hang', { waiter, ...waitingFor(waitedMs) })
  expect(sent).toMatchObject({ failure: { status: 499 } })
  await untilAborted(before + 1)
})

test.each([0, 60_000])('a client that leaves within the body ends the call', async waitedMs => {
  const before = await abortedCalls()
  const waiter = new AbortController()
  const sent = await answered('stall-0', { waiter, ...waitingFor(waitedMs) })
  const reading = Promise.allSettled([readAnswerText(sent, 5_000)])
  await Bun.sleep(100)
  waiter.abort()
  expect(await reading).toMatchObject([{ reason: { code: 'upstream_bad_answer' } }])
  await untilAborted(before + 1)
})

test('whether a client leaves is not asked while it has not waited long', async () => {
  let asked = 0
  const waiter = {
    get signal() {
      asked += 1
      return new AbortController().signal
    },
  }
  const sent = await answered('', { waiter, ...waitingFor(0) })
  expect(sent.response.status).toBe(200)
  await Bun.sleep(100)
  expect(asked).toBe(0)
  await answered('', { waiter, ...waitingFor(60_000) })
  expect(asked).toBe(1)
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

test('a machine that swallows what is sent to it is given up for a socket too, long before its headers are due', async () => {
  const deaf = await openDeafPort()
  const url = `ws://127.0.0.1:${deaf.port}/v1/realtime`
  const looking = takesConnections(url, 200)
  const startedMs = elapsedMs()
  const options = { waiter: new AbortController(), headersTimeoutMs: 4_000, proxy: undefined }
  expect(await connect({ url, headers: {} }, options)).toMatchObject({
    kind: 'failure',
    failure: { status: 504, code: 'upstream_timeout', message: expect.stringContaining('no connection') },
  })
  expect(elapsedMs() - startedMs).toBeLessThan(2_000)
  expect(await looking).toBe(false)
  deaf.close()
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
