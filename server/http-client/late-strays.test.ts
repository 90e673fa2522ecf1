import { afterEach, expect, test } from 'bun:test'
import type { Socket, TCPSocketListener } from 'bun'
import { elapsedMs } from '../core/clock.ts'
import { send } from './send.ts'

const RUNS = Number(process.env.STRAY_RUNS ?? 8)
const CALLERS = 24
const RUN_MS = 5_000
/** Connections to a new origin are not reused before. */
const GOOD_UNTIL_MS = 2_000
/** From a request to its response; spread, so that connections are idle at different times. */
const THINKING_MS_MIN = 300
const THINKING_MS_MAX = 400
/** From a response to the one that nobody asked for. */
const STRAY_AFTER_MS_MIN = 100
const STRAY_AFTER_MS_MAX = 225
const OPTIONS = { headersTimeoutMs: 10_000, proxy: undefined, owner: 'channel' } as const
const STRAY = 'nobody asked for this'
const REQUEST_BODY = /\r\n\r\n\[(.+)\]$/s

interface Upstream {
  text: string
  isWaiting: boolean
}

let listeners: TCPSocketListener<Upstream>[] = []
afterEach(() => {
  for (const listener of listeners) listener.stop(true)
  listeners = []
})

const responseOf = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`

/** Responds to each request with its own text, and once, after a while of good behaviour, to one that waits with something else. */
function serveOneStray(strayAfterMs: number): string {
  const startedMs = elapsedMs()
  let isStrayDue = true
  let responses = 0
  const sendStray = (socket: Socket<Upstream>) => {
    if (!isStrayDue || !socket.data.isWaiting) return
    isStrayDue = false
    socket.write(responseOf(STRAY))
  }
  const respond = (socket: Socket<Upstream>, text: string) => {
    socket.data.isWaiting = false
    socket.write(responseOf(text))
    if (elapsedMs() - startedMs > GOOD_UNTIL_MS) setTimeout(() => sendStray(socket), strayAfterMs)
  }
  const listener = Bun.listen<Upstream>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: '', isWaiting: false }
      },
      data(socket, bytes) {
        socket.data.text += bytes.toString('latin1')
        const [, text] = REQUEST_BODY.exec(socket.data.text) ?? []
        if (text === undefined) return
        socket.data = { text: '', isWaiting: true }
        responses += 1
        const thinkingMs = THINKING_MS_MIN + ((responses * 37) % (THINKING_MS_MAX - THINKING_MS_MIN))
        setTimeout(() => respond(socket, text), thinkingMs)
      },
      error: () => undefined,
    },
  })
  listeners.push(listener)
  return `http://127.0.0.1:${listener.port}/v1`
}

async function ask(url: string, text: string): Promise<string> {
  const request = { url, headers: {}, body: `[${text}]` }
  const sent = await send(request, { ...OPTIONS, signal: new AbortController().signal })
  return sent.kind === 'failure'
    ? sent.failure.message
    : Buffer.from(await sent.response.readAll(1_000)).toString()
}

/** Every caller of two users asks again and again. Returns each response that was not the caller's own. */
async function findWrongResponses(strayAfterMs: number): Promise<string[]> {
  const url = serveOneStray(strayAfterMs)
  const endMs = elapsedMs() + RUN_MS
  const wrong: string[] = []
  const call = async (caller: number) => {
    for (let count = 0; elapsedMs() < endMs; count += 1) {
      const text = `user ${caller % 2}, caller ${caller}, request ${count}`
      const response = await ask(url, text)
      if (response !== text) wrong.push(response)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))
  return wrong
}

test('a response that nobody asked for reaches one caller at most, and nobody gets the response of another', async () => {
  const strayAfterMs = (run: number) =>
    STRAY_AFTER_MS_MIN + ((STRAY_AFTER_MS_MAX - STRAY_AFTER_MS_MIN) * run) / Math.max(RUNS - 1, 1)
  const runs = Array.from({ length: RUNS }, (_, run) => findWrongResponses(strayAfterMs(run)))
  // Each stray met a waiting request, or the run would prove nothing.
  expect(await Promise.all(runs)).toEqual(Array.from({ length: RUNS }, () => [STRAY]))
}, 60_000)
