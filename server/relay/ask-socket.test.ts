import { afterEach, expect, test } from 'bun:test'
import type { Server, ServerWebSocket } from 'bun'
import { send } from './upstream/send.ts'

const MIB = 1024 * 1024
let server: Server<undefined> | undefined
afterEach(() => server?.stop(true))

/** A vendor that speaks over sockets: `answer` says what it does with a question. */
function serve(
  answer: (socket: ServerWebSocket<undefined>, question: string) => unknown,
  close: () => void = () => undefined,
): string {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, own) =>
      request.headers.get('authorization') === 'known' && own.upgrade(request)
        ? undefined
        : Response.json({ message: 'HMAC signature does not match' }, { status: 401 }),
    websocket: {
      message(socket, question) {
        answer(socket, String(question))
      },
      close,
    },
  })
  return `ws://127.0.0.1:${server.port}/v1/chat`
}

const ask = (url: string, authorization = 'known', signal = new AbortController().signal) =>
  send(
    { url, headers: { authorization }, body: '{"question":1}' },
    { waiter: { signal }, headersTimeoutMs: 2_000, proxy: undefined },
  )

async function answered(url: string) {
  const sent = await ask(url)
  if (sent.kind === 'failure') throw new Error(sent.failure.message)
  return sent
}

test('asks in one frame, and reads each frame as an event', async () => {
  const url = serve((socket, question) => {
    socket.send(`{"asked":\n${question}}`)
    socket.send('{"last":true}')
    socket.close()
  })
  const { response } = await answered(url)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(new TextDecoder().decode(await response.readAll(MIB))).toBe(
    'data: {"asked": {"question":1}}\n\ndata: {"last":true}\n\n',
  )
})

test('tells the status of a handshake that was refused', async () => {
  const sent = await ask(
    serve(() => undefined),
    'unknown',
  )
  expect(sent).toMatchObject({ kind: 'answer', response: { status: 401 } })
})

test('says what the network says where nobody listens', async () => {
  const url = serve(() => undefined)
  await server?.stop(true)
  expect(await ask(url)).toMatchObject({
    kind: 'failure',
    failure: { status: 502, code: 'upstream_unreachable' },
  })
})

test('ends the connection when the client leaves, before and after it stands', async () => {
  const closed = Promise.withResolvers<string>()
  const url = serve(() => undefined)
  server?.reload({
    fetch: (request, own) => (own.upgrade(request) ? undefined : new Response()),
    websocket: { message: () => undefined, close: () => closed.resolve('closed') },
  })
  const gone = new AbortController()
  gone.abort()
  expect(await ask(url, 'known', gone.signal)).toMatchObject({ failure: { status: 499 } })
  const sent = await answered(url)
  sent.response.cancel()
  expect(await closed.promise).toBe('closed')
})

test('gives up a vendor that says more than anybody reads', async () => {
  const given = Promise.withResolvers<void>()
  const url = serve(socket => {
    for (let count = 0; count < 10; count += 1) socket.send('x'.repeat(MIB))
  }, given.resolve)
  const { response } = await answered(url)
  await given.promise
  await expect(response.readAll(16 * MIB)).rejects.toThrow('ENOBUFS')
})
