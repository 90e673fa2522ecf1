import { LOCALHOST } from './localhost.ts'

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string
}

/** Another party on this machine: what it was asked stands in `asked`, what it answers is the test's to say. */
export interface LocalParty {
  readonly url: string
  readonly asked: Asked[]
  /** Answers by path; what is not named is a 404. */
  readonly answers: Record<string, (asked: Asked) => Response | Promise<Response>>
  close(): Promise<void>
}

/** Over TLS it is believed by the certificate of `localhost` in the fixtures. */
export function openLocalParty({ isEncrypted = false } = {}): LocalParty {
  const asked: Asked[] = []
  const answers: LocalParty['answers'] = {}
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    ...(isEncrypted && { tls: LOCALHOST }),
    async fetch(request) {
      const { method } = request
      const url = new URL(request.url)
      const seen = { method, url, headers: new Headers(request.headers), body: await request.text() }
      asked.push(seen)
      return answers[url.pathname]?.(seen) ?? new Response('nothing here', { status: 404 })
    },
  })
  const url = isEncrypted ? `https://localhost:${server.port}` : `http://127.0.0.1:${server.port}`
  return { url, asked, answers, close: () => server.stop(true) }
}
