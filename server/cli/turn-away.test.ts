import { afterEach, expect, test } from 'bun:test'
import { sleepMs } from '../core/clock.ts'
import { turnAway } from './turn-away.ts'

const PATIENCE_MS = 400
const servers: Bun.Server<undefined>[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.stop(true)))
})

function serve(): Bun.Server<undefined> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('answer') })
  servers.push(server)
  return server
}

/** Over a connection of its own. Undefined: none came about in time. */
const ask = ({ url }: Bun.Server<undefined>): Promise<string | undefined> =>
  fetch(url, { keepalive: false, signal: AbortSignal.timeout(PATIENCE_MS) }).then(
    answer => answer.text(),
    () => undefined,
  )

test.skipIf(process.platform !== 'linux')(
  'a socket that is turned away from takes no new connection, and loses none that it has',
  async () => {
    const [leaving, staying] = [serve(), serve()]
    const received: string[] = []
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const established = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(leaving.url.port),
      socket: { data: (_socket, bytes) => void received.push(bytes.toString()), close: () => resolve() },
    })
    expect(turnAway(Number(leaving.url.port))).toBe(true)
    await sleepMs(1)
    expect(await ask(leaving)).toBeUndefined()
    established.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    await closed
    expect(received.join('')).toEndWith('answer')
    expect(await ask(staying)).toBe('answer')
  },
)

test('a port on which this process does not listen is turned away from by nobody', () => {
  expect(turnAway(1)).toBe(false)
})
