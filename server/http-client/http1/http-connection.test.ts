import { expect, test } from 'bun:test'
import { nextTurn } from '../../core/async.ts'
import { elapsedMs } from '../../core/clock.ts'
import { MIB } from '../../core/limits.ts'
import { openUnresponsivePort } from '../../testing/unresponsive-port.ts'
import { ConnectionPool } from './connection-pool.ts'
import { ConnectTimeoutError, HttpConnection, openConnection } from './http-connection.ts'
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

test('lets others take their turns while it writes a large body that the system accepts at once', async () => {
  const written: Uint8Array[] = []
  const socket = {
    write(bytes: Uint8Array) {
      written.push(bytes)
      return bytes.byteLength
    },
  }
  const use = { owner: undefined, pool: new ConnectionPool<HttpConnection>() }
  const connection = new HttpConnection('http://provider.test', socket as unknown as Bun.Socket, use)
  const ignore = () => undefined
  const listener = { onHead: ignore, onData: ignore, onEnd: ignore, onConnectionLost: ignore }
  const head = 'POST / HTTP/1.1\r\n\r\n'
  const body = [new Uint8Array(3 * MIB).fill(1), new Uint8Array(5).fill(2), new Uint8Array(MIB).fill(3)]
  connection.send(listener, { head, body, size: head.length + 4 * MIB + 5 })
  const bytesWritten = () => written.reduce((bytes, { byteLength }) => bytes + byteLength, 0)
  let turns = 0
  for (let before = 0; bytesWritten() > before; turns += 1) {
    expect(bytesWritten() - before).toBeLessThanOrEqual(MIB / 4)
    before = bytesWritten()
    await nextTurn()
  }
  expect(turns).toBeGreaterThan(8)
  expect(Buffer.concat(written).equals(Buffer.concat([Buffer.from(head), ...body]))).toBe(true)
})
