import { createServer } from 'node:net'

/** Below those that systems give to outgoing connections: none of them takes the port before a program listens to it. */
const FIRST_PORT = 10_000
const PORTS = 20_000

/** A port of this machine on which nobody listened a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
