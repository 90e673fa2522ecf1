import { connect, createServer, type Server, type Socket } from 'node:net'
import { sleepMs } from '../../server/kernel/clock.ts'

/** The network between a gateway and a server of this machine, which can fail while the server is well. */
export interface Wire {
  readonly port: number
  /** Ends every connection and takes no more. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Passes nothing on and loses nothing, as when the other machine sleeps. */
  freeze(): void
  thaw(): void
  /** From now on every piece arrives this much later. */
  slowDown(ms: number): void
  stop(): Promise<void>
}

const HOST = '127.0.0.1'

/** A wire that leads to a port of this machine. */
export async function startWire(toPort: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  let frozen = Promise.withResolvers<void>()
  let delayMs = 0
  frozen.resolve()

  const pass = (from: Socket, to: Socket): void => {
    let passed: Promise<unknown> = Promise.resolve()
    from.on('data', piece => {
      passed = Promise.all([passed, sleepMs(delayMs)]).then(async () => {
        await frozen.promise
        to.write(piece)
      })
    })
    for (const event of ['close', 'error']) from.on(event, () => void passed.then(() => to.destroy()))
  }
  const accept = (near: Socket): void => {
    const far = connect(toPort, HOST)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    pass(near, far)
    pass(far, near)
  }
  const server = createServer(accept)
  const port = await listen(server, 0)
  const cut = () => closed(server, sockets)
  return {
    port,
    cut,
    mend: async () => void (await listen(server, port)),
    freeze() {
      frozen = Promise.withResolvers<void>()
    },
    thaw: () => frozen.resolve(),
    slowDown(ms) {
      delayMs = ms
    },
    stop() {
      frozen.resolve()
      return cut()
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

function closed(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })
}
