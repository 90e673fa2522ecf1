import { expect, test } from 'bun:test'
import { elapsedMs } from '../../core/clock.ts'
import { openDeafPort } from '../../testing/deaf-port.ts'
import { noteReached, takesConnections } from './tcp-probe.ts'

test('a machine that swallows what is sent to it is given up in time', async () => {
  const deaf = await openDeafPort()
  const startedMs = elapsedMs()
  expect(await takesConnections(`http://127.0.0.1:${deaf.port}/v1`, 200)).toBe(false)
  expect(elapsedMs() - startedMs).toBeLessThan(2000)
  deaf.close()
})

test('a port that refuses is left to the call itself, and one that listens is there', async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response('') })
  expect(await takesConnections(`http://127.0.0.1:${server.port}/v1`, 1000)).toBe(true)
  await server.stop(true)
  expect(await takesConnections('http://127.0.0.1:1/v1', 1000)).toBe(true)
})

test('what answered lately is not looked at again', async () => {
  const deaf = await openDeafPort()
  noteReached(`http://127.0.0.1:${deaf.port}`)
  expect(await takesConnections(`http://127.0.0.1:${deaf.port}/v2`, 200)).toBe(true)
  deaf.close()
})
