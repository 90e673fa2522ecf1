import { afterEach, expect, test } from 'bun:test'
import type { Socket, TCPSocketListener } from 'bun'
import { sleepMs } from '../../core/clock.ts'
import { send } from '../../http-client/send.ts'

interface Received {
  text: string
}

interface Strays {
  /** Complete responses after each answer. */
  count: number
  readonly afterMs: number
}

const CALLERS = 32
const CALLS_EACH = 30
const OPTIONS = { headersTimeoutMs: 10_000, proxy: undefined, owner: 'channel' } as const
/** Until then connections to a new origin are not reused. */
const PROBATION_MS = 1_200
const MARKER = /x-marker: (\S+)/
/** Ends the body of every request below. */
const BODY_END = '}end'

let listener: TCPSocketListener<Received> | undefined
afterEach(() => {
  listener?.stop(true)
  listener = undefined
})

const responseTo = (marker: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${marker.length}\r\n\r\n${marker}`

/** Responds to every request with its marker, and repeats each response unasked. */
function serveWithStrays(strays: Strays): string {
  const respond = (socket: Socket<Received>, marker: string) => {
    socket.write(responseTo(marker))
    if (strays.count > 0)
      setTimeout(() => socket.write(responseTo(marker).repeat(strays.count)), strays.afterMs)
  }
  listener = Bun.listen<Received>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: '' }
      },
      data(socket, bytes) {
        socket.data.text += bytes.toString('latin1')
        if (!socket.data.text.includes(BODY_END)) return
        const [, marker = ''] = MARKER.exec(socket.data.text) ?? []
        socket.data.text = ''
        setTimeout(() => respond(socket, marker), 1)
      },
      error: () => undefined,
    },
  })
  return `http://127.0.0.1:${listener.port}/v1`
}

function formOf(text: string): FormData {
  const form = new FormData()
  form.set('file', new Blob([text]))
  return form
}

const bodies = { JSON: () => `{}${BODY_END}`, 'a form': () => formOf(BODY_END) } as const
type BodyKind = keyof typeof bodies

async function ask(url: string, marker: string, kind: BodyKind): Promise<string> {
  const request = { url, headers: { 'x-marker': marker }, body: bodies[kind]() }
  const sent = await send(request, { ...OPTIONS, signal: new AbortController().signal })
  return sent.kind === 'failure'
    ? sent.failure.message
    : Buffer.from(await sent.response.readAll(1_000)).toString()
}

/** Returns how many callers received anything but their own response. */
async function countWrongResponses(url: string, kind: BodyKind = 'JSON'): Promise<number> {
  let wrong = 0
  const run = async (caller: number) => {
    for (let call = 0; call < CALLS_EACH; call += 1) {
      const marker = `${caller}-${call}`
      if ((await ask(url, marker, kind)) !== marker) wrong += 1
      if (call % 10 === 0) await sleepMs(caller)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => run(caller)))
  return wrong
}

test.each([
  { count: 1, afterMs: 0 },
  { count: 1, afterMs: 10 },
  { count: 50, afterMs: 10 },
  { count: 3, afterMs: 50 },
])('no caller receives the response to another from a server that repeats responses: %o', async strays => {
  expect(await countWrongResponses(serveWithStrays(strays))).toBe(0)
})

test('nor when the server starts to repeat responses after it was used for a while', async () => {
  const strays = { count: 0, afterMs: 10 }
  const url = serveWithStrays(strays)
  await countWrongResponses(url)
  await sleepMs(PROBATION_MS)
  expect(await countWrongResponses(url)).toBe(0)
  strays.count = 1
  expect(await countWrongResponses(url)).toBe(0)
})

test('nor when the request is a form, which the client of the runtime sends', async () => {
  expect(await countWrongResponses(serveWithStrays({ count: 1, afterMs: 10 }), 'a form')).toBe(0)
})
