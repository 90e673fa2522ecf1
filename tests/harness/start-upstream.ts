/** What an upstream was sent. */
interface Received {
  readonly path: string
  readonly headers: Headers
  readonly text: string
}

/** A vendor's server that answers every call with the same bytes, and remembers what it was sent. */
export interface Upstream {
  readonly url: string
  answerWith(body: string, contentType: string, status?: number): void
  /** The last call. Throws when there was none. */
  last(): Received
  stop(): Promise<void>
}

export function startUpstream(): Upstream {
  let answer = { body: '{}', contentType: 'application/json', status: 200 }
  let received: Received | undefined
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      received = { path: pathname + search, headers: request.headers, text: await request.text() }
      return new Response(answer.body, {
        status: answer.status,
        headers: { 'content-type': answer.contentType },
      })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    answerWith(body, contentType, status = 200) {
      answer = { body, contentType, status }
    },
    last() {
      if (!received) throw new Error('expected a call of the upstream, found none')
      return received
    },
    stop: () => server.stop(true),
  }
}
