import { afterEach, expect, test } from 'bun:test'
import { sleepMs } from '../core/clock.ts'
import { stopAccepting } from './stop-accepting.ts'

const CONNECT_TIMEOUT_MS = 400
const servers: Bun.Server<undefined>[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.stop(true)))
})

function serve(): Bun.Server<undefined> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') })
  servers.push(server)
  return server
}

/** Requests over a new connection. Undefined when none is established in time. */
const request = ({ url }: Bun.Server<undefined>): Promise<string | undefined> =>
  fetch(url, { keepalive: false, signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).then(
    response => response.text(),
    () => undefined,
  )

test.skipIf(process.platform !== 'linux')('drops new connections and keeps established ones', async () => {
  const [stopping, other] = [serve(), serve()]
  const received: string[] = []
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const established = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(stopping.url.port),
    socket: { data: (_socket, bytes) => void received.push(bytes.toString()), close: () => resolve() },
  })
  expect(stopAccepting(Number(stopping.url.port))).toBe(true)
  await sleepMs(1)
  expect(await request(stopping)).toBeUndefined()
  established.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  await closed
  expect(received.join('')).toEndWith('ok')
  expect(await request(other)).toBe('ok')
})

test('returns false for a port this process does not listen on', () => {
  expect(stopAccepting(1)).toBe(false)
})
