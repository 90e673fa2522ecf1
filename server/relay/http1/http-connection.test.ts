import { expect, test } from 'bun:test'
import { elapsedMs } from '../../core/clock.ts'
import { openUnresponsivePort } from '../../testing/unresponsive-port.ts'
import { ConnectionPool } from './connection-pool.ts'
import { ConnectTimeoutError, openConnection } from './http-connection.ts'
import { parseTarget } from './write-request.ts'

const connectTo = (url: string, timeoutMs: number) =>
  openConnection(parseTarget(url), { owner: undefined, pool: new ConnectionPool() }, timeoutMs)

test('times out when a server drops all packets', async () => {
  const deaf = await openUnresponsivePort()
  const startedMs = elapsedMs()
  await expect(connectTo(`http://127.0.0.1:${deaf.port}/v1`, 200)).rejects.toBeInstanceOf(ConnectTimeoutError)
  expect(elapsedMs() - startedMs).toBeLessThan(2000)
  deaf.close()
})

test('times out and closes the socket when a server never answers the TLS handshake', async () => {
  const ended = Promise.withResolvers<void>()
  const socket = { data: () => undefined, close: () => ended.resolve() }
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket })
  await expect(connectTo(`https://127.0.0.1:${listener.port}/`, 100)).rejects.toBeInstanceOf(
    ConnectTimeoutError,
  )
  await ended.promise
  listener.stop(true)
})

test('rejects with the system error code for a closed port and an unknown host name', async () => {
  await expect(connectTo('http://127.0.0.1:1/v1', 5000)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  const failure = await connectTo('http://nobody.invalid/v1', 5000).catch(error => error)
  expect(failure).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) })
})
