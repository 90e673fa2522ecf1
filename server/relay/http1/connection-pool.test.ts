import { expect, test } from 'bun:test'
import { elapsedMs } from '../../core/clock.ts'
import { openDeafPort } from '../../testing/deaf-port.ts'
import { ConnectTimeoutError, openConnection } from './connection-pool.ts'
import { parseTarget } from './write-request.ts'

const openTo = (url: string, connectMs: number) => openConnection(parseTarget(url), connectMs)

test('a machine that swallows what is sent to it is given up in time', async () => {
  const deaf = await openDeafPort()
  const startedMs = elapsedMs()
  await expect(openTo(`http://127.0.0.1:${deaf.port}/v1`, 200)).rejects.toBeInstanceOf(ConnectTimeoutError)
  expect(elapsedMs() - startedMs).toBeLessThan(2000)
  deaf.close()
})

test('a machine that never speaks of TLS is given up in time, and its connection ended', async () => {
  const ended = Promise.withResolvers<void>()
  const socket = { data: () => undefined, close: () => ended.resolve() }
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket })
  await expect(openTo(`https://127.0.0.1:${listener.port}/`, 100)).rejects.toBeInstanceOf(ConnectTimeoutError)
  await ended.promise
  listener.stop(true)
})

test('a port where nobody listens, and a name that nobody has, are refused with the system’s word', async () => {
  await expect(openTo('http://127.0.0.1:1/v1', 5000)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  const failure = await openTo('http://nobody.invalid/v1', 5000).catch(error => error)
  expect(failure).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) })
})
