import { LOCALHOST } from './localhost.ts'

export interface RecordedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string
}

/** A fake third-party HTTP server on this machine. It records requests and responds with the handlers of the test. */
export interface LocalServer {
  readonly url: string
  readonly requests: RecordedRequest[]
  /** Handlers by path; other paths respond with 404. */
  readonly handlers: Record<string, (request: RecordedRequest) => Response | Promise<Response>>
  close(): Promise<void>
}

/** With `isEncrypted` it serves HTTPS with the self-signed certificate for `localhost`. */
export function openLocalServer({ isEncrypted = false } = {}): LocalServer {
  const requests: RecordedRequest[] = []
  const handlers: LocalServer['handlers'] = {}
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    ...(isEncrypted && { tls: LOCALHOST }),
    async fetch(request) {
      const { method } = request
      const url = new URL(request.url)
      const recorded = { method, url, headers: new Headers(request.headers), body: await request.text() }
      requests.push(recorded)
      return handlers[url.pathname]?.(recorded) ?? new Response('not found', { status: 404 })
    },
  })
  const url = isEncrypted ? `https://localhost:${server.port}` : `http://127.0.0.1:${server.port}`
  return { url, requests, handlers, close: () => server.stop(true) }
}
