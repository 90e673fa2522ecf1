import { connect, createServer, type Server, type Socket } from 'node:net'
import { sleepMs } from '../../server/core/clock.ts'

/** The network between a gateway and a server of this machine, which can fail while the server is well. */
export interface TcpProxy {
  readonly port: number
  /** Ends every connection and takes no more. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Passes nothing on and loses nothing, as when the other machine sleeps. */
  freeze(): void
  thaw(): void
  /** What is connected by now hears nothing any more and never learns why; who connects anew is well. */
  strand(): void
  /** As when the other machine is gone and another has its address: what is connected by now hears nothing any more, no end either. */
  strand(): void
  /** From now on every piece arrives this much later. */
  slowDown(ms: number): void
  stop(): Promise<void>
}

const HOST = '127.0.0.1'

/** A wire that leads to a port of this machine. */
export async function startTcpProxy(toPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const stranded = new WeakSet<Socket>()
  let frozen = Promise.withResolvers<void>()
  let delayMs = 0
  frozen.resolve()

  const pass = (from: Socket, to: Socket): void => {
    let passedThrough: Promise<unknown> = Promise.resolve()
    from.on('data', piece => {
      passedThrough = Promise.all([passedThrough, sleepMs(delayMs)]).then(async () => {
        await frozen.promise
        if (!stranded.has(to)) to.write(piece)
      })
    })
    const end = () => void (stranded.has(to) || to.destroy())
    for (const event of ['close', 'error']) from.on(event, () => void passedThrough.then(end))
  }
  const fars = new Map<Socket, Socket>()
  const accept = (near: Socket): void => {
    const far = connect(toPort, HOST)
    fars.set(near, far)
    near.on('close', () => fars.delete(near))
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
    strand() {
      for (const [near, far] of fars) {
        stranded.add(near)
        far.destroy()
      }
    },
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
