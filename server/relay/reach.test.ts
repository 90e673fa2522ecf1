import { expect, test } from 'bun:test'
import { elapsedMs } from '../kernel/clock.ts'
import { noteReached, takesConnections } from './reach.ts'

/** More than the queue of any listener here. */
const FILLERS = 1200

/** A port whose process is asleep and whose queue is full: the system swallows what knocks there. */
async function openDeafPort() {
  const script = `const server = require('node:net').createServer(() => undefined)
    server.listen({ port: 0, host: '127.0.0.1' }, () => console.log(server.address().port))`
  const program = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
  const { value } = await program.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(value))
  program.kill('SIGSTOP')
  const fillers = Array.from({ length: FILLERS }, () =>
    Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => undefined, error: () => undefined } }),
  )
  await Promise.race([Promise.allSettled(fillers), Bun.sleep(300)])
  return { port, close: () => program.kill('SIGKILL') }
}

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
