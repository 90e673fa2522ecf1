import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

interface ResponseWatch {
  readonly url: string
  /** When the gateway first responded to the request that turned out to be the last, in milliseconds since 1970. */
  lastRequestMs(): number | undefined
  stop(): void
}

/**
 * Stands between an agent and the gateway. The time that an error costs an agent counts from the first response to the
 * request that ends its run: retries of the same request count, but neither its start nor its work between two different
 * requests, which may take many seconds.
 */
export async function watchResponses(gateway: string): Promise<ResponseWatch> {
  const { hostname, port } = new URL(gateway)
  const firstMs = new Map<string, number>()
  let last: string | undefined
  const open = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    let pending: string | undefined
    client.on('data', (bytes: Buffer) => {
      pending = identify(bytes) ?? pending
    })
    upstream.on('data', () => {
      if (!pending) return
      if (!firstMs.has(pending)) firstMs.set(pending, Date.now())
      last = pending
    })
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from)
      from.pipe(to)
      // An agent that ends resets its connections.
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    lastRequestMs: () => (last === undefined ? undefined : firstMs.get(last)),
    stop() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

const HEAD_BYTES_MAX = 8_192

/** Path and length of a request that starts here. Retries have the same. */
function identify(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, HEAD_BYTES_MAX)
  if (!head.startsWith('POST ')) return undefined
  return `${head.split(' ')[1]} ${/^content-length: *(\d+)/im.exec(head)?.[1]}`
}

/** Safe cast: a server that listens on a port has such an address. */
const portOf = (address: unknown): number => (address as AddressInfo).port
