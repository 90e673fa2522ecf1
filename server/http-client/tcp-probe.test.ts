import { afterEach, expect, test } from 'bun:test'
import { elapsedMs, setClock } from '../core/clock.ts'
import { openUnresponsivePort } from '../testing/unresponsive-port.ts'
import { acceptsConnections, markReached } from './tcp-probe.ts'

let restoreClock = (): void => undefined
afterEach(() => restoreClock())

test('returns false in time for a server that drops all packets, though it was reached a minute ago', async () => {
  const port = await openUnresponsivePort()
  markReached(`http://127.0.0.1:${port.port}`)
  restoreClock = setClock({ nowMs: () => 0, elapsedMs: () => performance.now() + 60_000 })
  const startedMs = elapsedMs()
  expect(await acceptsConnections(`http://127.0.0.1:${port.port}/v1`, 200)).toBe(false)
  expect(elapsedMs() - startedMs).toBeLessThan(2000)
  port.close()
})

test('returns true for a listening port and for one that refuses', async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response('') })
  expect(await acceptsConnections(`http://127.0.0.1:${server.port}/v1`, 1000)).toBe(true)
  await server.stop(true)
  expect(await acceptsConnections('http://127.0.0.1:1/v1', 1000)).toBe(true)
})

test('does not probe an origin that was reached recently', async () => {
  const port = await openUnresponsivePort()
  markReached(`http://127.0.0.1:${port.port}`)
  expect(await acceptsConnections(`http://127.0.0.1:${port.port}/v2`, 200)).toBe(true)
  port.close()
})
