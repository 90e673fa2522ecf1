import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { ResponseStalledError, type HttpResponse, FetchHttpResponse } from './http-response.ts'
import { HttpCall } from './http-call.ts'

/** Longer than any test waits. */
const NEVER_MS = 60_000
const SOON_MS = 50

let server: Server<undefined>
let left: PromiseWithResolvers<void>

/** Answers with one piece and then says nothing until the caller leaves. */
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      left = Promise.withResolvers()
      request.signal.addEventListener('abort', () => left.resolve())
      const isPacked = request.url.endsWith('packed')
      const piece = isPacked ? Bun.gzipSync('piece') : 'piece'
      const body = new ReadableStream({
        start: controller => controller.enqueue(piece),
        pull: () => Bun.sleep(NEVER_MS),
      })
      return new Response(body, { headers: isPacked ? { 'content-encoding': 'gzip' } : {} })
    },
  })
})
afterAll(() => server.stop(true))

const called = (path: string): Promise<HttpResponse> =>
  new HttpCall({ method: 'GET', url: new URL(path, server.url).href, headers: {}, body: undefined }).response

async function fetched(): Promise<HttpResponse> {
  const abort = new AbortController()
  const response = await fetch(server.url, { signal: abort.signal })
  return new FetchHttpResponse(response, reason => abort.abort(reason))
}

const ways = [
  ['over a connection of our own', () => called('')],
  ['unpacked', () => called('packed')],
  ['fetched', fetched],
] as const

const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

test.each(ways)('an answer that falls silent is given up, and the upstream is told: %s', async (_, open) => {
  const response = await open()
  expect(textOf(await response.next(NEVER_MS))).toBe('piece')
  const [silent] = await Promise.allSettled([response.next(SOON_MS)])
  expect(silent).toMatchObject({ status: 'rejected', reason: new ResponseStalledError(SOON_MS) })
  await left.promise
})

test.each(ways)('whoever reads is told why the call was ended: %s', async (_, open) => {
  const reason = new Error('the reason')
  const response = await open()
  await response.next()
  const reading = response.next(NEVER_MS)
  response.cancel(reason)
  expect(await Promise.allSettled([reading])).toEqual([{ status: 'rejected', reason }])
  await left.promise
})

test('what has come is not waited for', async () => {
  const response = await called('')
  await Bun.sleep(SOON_MS)
  expect(textOf(await response.next(Number.MIN_VALUE))).toBe('piece')
  response.cancel()
})
