/** More than the accept queue of any listener here. */
const FILLERS = 1200

/** A port whose process is stopped and whose accept queue is full, so that the kernel drops connection attempts. */
export async function openUnresponsivePort() {
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
