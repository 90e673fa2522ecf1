import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { HttpCall } from './http-call.ts'
import { type HttpResponse, ResponseStalledError, StreamHttpResponse } from './http-response.ts'

/** Longer than any test waits. */
const NEVER_MS = 60_000
const SOON_MS = 50

let server: Server<undefined>
let clientLeft: PromiseWithResolvers<void>

/** Sends one chunk and then nothing until the client disconnects. */
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      clientLeft = Promise.withResolvers()
      request.signal.addEventListener('abort', () => clientLeft.resolve())
      const isCompressed = request.url.endsWith('compressed')
      const chunk = isCompressed ? Bun.gzipSync('chunk') : 'chunk'
      const body = new ReadableStream({
        start: controller => controller.enqueue(chunk),
        pull: () => Bun.sleep(NEVER_MS),
      })
      return new Response(body, { headers: isCompressed ? { 'content-encoding': 'gzip' } : {} })
    },
  })
})
afterAll(() => server.stop(true))

const callDirectly = (path: string): Promise<HttpResponse> =>
  new HttpCall({ method: 'GET', url: new URL(path, server.url).href, headers: {}, body: undefined }).response

async function callByFetch(): Promise<HttpResponse> {
  const abort = new AbortController()
  const response = await fetch(server.url, { signal: abort.signal })
  return new StreamHttpResponse(response, reason => abort.abort(reason))
}

const transports = [
  ['an HTTP/1.1 connection', () => callDirectly('')],
  ['a decompressor', () => callDirectly('compressed')],
  ['fetch', callByFetch],
] as const

const decode = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

test.each(transports)('cancels a stalled response that comes through %s', async (_, call) => {
  const response = await call()
  expect(decode(await response.next(NEVER_MS))).toBe('chunk')
  const [stalled] = await Promise.allSettled([response.next(SOON_MS)])
  expect(stalled).toMatchObject({ status: 'rejected', reason: new ResponseStalledError(SOON_MS) })
  await clientLeft.promise
})

test.each(transports)(
  'rejects a pending read through %s with the reason of the cancellation',
  async (_, call) => {
    const reason = new Error('the reason')
    const response = await call()
    await response.next()
    const reading = response.next(NEVER_MS)
    response.cancel(reason)
    expect(await Promise.allSettled([reading])).toEqual([{ status: 'rejected', reason }])
    await clientLeft.promise
  },
)

test('returns buffered bytes before a stall timeout can expire', async () => {
  const response = await callDirectly('')
  await Bun.sleep(SOON_MS)
  expect(decode(await response.next(Number.MIN_VALUE))).toBe('chunk')
  response.cancel()
})
