/** A request that an upstream received. */
interface UpstreamRequest {
  readonly path: string
  readonly headers: Headers
  readonly text: string
}

interface HeldResponses {
  /** Number of waiting calls. */
  count(): number
  release(): void
}

/** A fake provider that gives every call the same response and records requests. */
export interface Upstream {
  readonly url: string
  respondWith(body: string, contentType: string, status?: number): void
  /** Responds with 404 to this path from now on. */
  removePath(path: string): void
  /** Makes calls wait until `release`. */
  holdResponses(): HeldResponses
  /** The last request. Throws when there was none. */
  lastRequest(): UpstreamRequest
  stop(): Promise<void>
}

export function startUpstream(): Upstream {
  let response = { body: '{}', contentType: 'application/json', status: 200 }
  let received: UpstreamRequest | undefined
  let gate = Promise.resolve()
  let held = 0
  const forgotten = new Set<string>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const isForgotten = forgotten.has(pathname)
      received = { path: pathname + search, headers: request.headers, text: await request.text() }
      if (isForgotten) return Response.json({ detail: 'Not Found' }, { status: 404 })
      held += 1
      await gate
      held -= 1
      return new Response(response.body, {
        status: response.status,
        headers: { 'content-type': response.contentType },
      })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    respondWith(body, contentType, status = 200) {
      response = { body, contentType, status }
    },
    removePath(path) {
      forgotten.add(path)
    },
    holdResponses() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return { count: () => held, release: resolve }
    },
    lastRequest() {
      if (!received) throw new Error('expected a call of the upstream, found none')
      return received
    },
    stop: () => server.stop(true),
  }
}
