import { createServer } from 'node:net'

/** Below the ephemeral ports, so that no outgoing connection takes the port before the program listens. */
const FIRST_PORT = 10_000
const PORTS = 20_000

/** Returns a port on which no process listens. */
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
