/** More connections than the accept queue holds. */
const FILLER_CONNECTIONS = 1200

/** A port whose process is stopped and whose accept queue is full, so that the kernel drops connection attempts. */
export async function openUnresponsivePort() {
  const script = `const server = require('node:net').createServer(() => undefined)
    server.listen({ port: 0, host: '127.0.0.1' }, () => console.log(server.address().port))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(value))
  child.kill('SIGSTOP')
  const fillers = Array.from({ length: FILLER_CONNECTIONS }, () =>
    Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => undefined, error: () => undefined } }),
  )
  await Promise.race([Promise.allSettled(fillers), Bun.sleep(300)])
  return { port, close: () => child.kill('SIGKILL') }
}
