import { connect, createServer, type Server, type Socket } from 'node:net'
import { sleepMs } from '#server/core/clock.ts'

/** A TCP proxy in front of a local server, which simulates network failures. */
export interface TcpProxy {
  readonly port: number
  /** Closes every connection and accepts no more. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Buffers all data until `thaw`, as if the other machine slept. */
  freeze(): void
  thaw(): void
  /** Silently drops all data of the current connections, without closing them, as if the other machine were replaced. */
  strand(): void
  /** Delays every chunk by this time. */
  slowDown(ms: number): void
  stop(): Promise<void>
}

const HOST = '127.0.0.1'

/** Starts a proxy to a local port. */
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
