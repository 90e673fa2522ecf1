import { afterEach, expect, test } from 'bun:test'
import type { Server, ServerWebSocket } from 'bun'
import { connect, send } from './send.ts'

const MIB = 1024 * 1024
let server: Server<undefined> | undefined
afterEach(() => server?.stop(true))

/** Starts a websocket server that calls `respond` for each request frame. Returns its URL. */
function serve(
  respond: (socket: ServerWebSocket<undefined>, request: string) => unknown,
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
      message(socket, frame) {
        respond(socket, String(frame))
      },
      close,
    },
  })
  return `ws://127.0.0.1:${server.port}/v1/chat`
}

const sendTo = (url: string, authorization = 'known', signal = new AbortController().signal) =>
  send(
    { url, headers: { authorization }, body: '{"question":1}' },
    { signal, headersTimeoutMs: 2_000, proxy: undefined },
  )

async function receive(url: string) {
  const sent = await sendTo(url)
  if (sent.kind === 'failure') throw new Error(sent.failure.message)
  return sent
}

test('sends the request as one frame and reads each frame as an event', async () => {
  const url = serve((socket, request) => {
    socket.send(`{"asked":\n${request}}`)
    socket.send('{"last":true}')
    socket.close()
  })
  const { response } = await receive(url)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(new TextDecoder().decode(await response.readAll(MIB))).toBe(
    'data: {"asked": {"question":1}}\n\ndata: {"last":true}\n\n',
  )
})

test('returns the status of a refused handshake', async () => {
  const sent = await sendTo(
    serve(() => undefined),
    'unknown',
  )
  expect(sent).toMatchObject({ kind: 'response', response: { status: 401 } })
})

test('returns a failure when the connection is refused', async () => {
  const url = serve(() => undefined)
  await server?.stop(true)
  expect(await sendTo(url)).toMatchObject({
    kind: 'failure',
    failure: { status: 502, code: 'upstream_unreachable' },
  })
})

test('closes the connection when the client disconnects before or after the handshake', async () => {
  const closed = Promise.withResolvers<string>()
  const url = serve(() => undefined)
  server?.reload({
    fetch: (request, own) => (own.upgrade(request) ? undefined : new Response()),
    websocket: { message: () => undefined, close: () => closed.resolve('closed') },
  })
  const disconnected = new AbortController()
  disconnected.abort()
  expect(await sendTo(url, 'known', disconnected.signal)).toMatchObject({ failure: { status: 499 } })
  const sent = await receive(url)
  sent.response.cancel()
  expect(await closed.promise).toBe('closed')
})

test('closes the connection when too many frames are unread', async () => {
  const closed = Promise.withResolvers<void>()
  const url = serve(socket => {
    for (let count = 0; count < 10; count += 1) socket.send('x'.repeat(MIB))
  }, closed.resolve)
  const { response } = await receive(url)
  await closed.promise
  await expect(response.readAll(16 * MIB)).rejects.toThrow('ENOBUFS')
})

test.each([
  ['has too many elements', `[${'{},'.repeat(300_000)}{}]`],
  ['has too many levels', `{"type":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
])('closes a conversation with a frame that %s', async (_, frame) => {
  const url = serve(socket => socket.send(frame))
  const signal = new AbortController().signal
  const request = { url, headers: { authorization: 'known' } }
  const connected = await connect(request, { signal, headersTimeoutMs: 2_000, proxy: undefined })
  if (connected.kind === 'failure') throw new Error(connected.failure.message)
  const frames: unknown[] = []
  const closed = Promise.withResolvers<boolean>()
  connected.socket.listen({ onFrame: received => frames.push(received), onClose: closed.resolve })
  connected.socket.send('{}')
  expect(await closed.promise).toBe(false)
  expect(frames).toEqual([])
})

test('closes a conversation whose frames wait for a reader without an end', async () => {
  const closed = Promise.withResolvers<void>()
  const url = serve(socket => {
    for (let count = 0; count < 10; count += 1) socket.send('x'.repeat(MIB))
  }, closed.resolve)
  const signal = new AbortController().signal
  const request = { url, headers: { authorization: 'known' } }
  const connected = await connect(request, { signal, headersTimeoutMs: 2_000, proxy: undefined })
  if (connected.kind === 'failure') throw new Error(connected.failure.message)
  connected.socket.send('{}')
  await closed.promise
})
