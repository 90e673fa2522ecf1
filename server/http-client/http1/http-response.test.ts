import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { MIB } from '../../core/limits.ts'
import { HttpCall } from './http-call.ts'
import {
  type HttpResponse,
  ResponseStalledError,
  ResponsesTooLargeError,
  ResponseTooLargeError,
  readAllBytes,
  StreamHttpResponse,
} from './http-response.ts'

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

/** A body of this many bytes in pieces of a MiB; `meanwhile` runs before the last piece. */
const bodyOf = (mib: number, meanwhile: () => void = () => undefined) => {
  let left = mib
  return {
    next() {
      if (left === 1) meanwhile()
      return Promise.resolve(left-- > 0 ? new Uint8Array(MIB) : undefined)
    },
  }
}

test('reads large responses together only up to a limit, and gives back what it held', async () => {
  const total = { bytes: 0, bytesMax: 4 * MIB }
  let second: Promise<unknown> | undefined
  const first = readAllBytes(
    bodyOf(3, () => {
      second = readAllBytes(bodyOf(3), 16 * MIB, total).catch(error => error)
    }),
    16 * MIB,
    total,
  )
  expect((await first).byteLength).toBe(3 * MIB)
  expect(await second).toBeInstanceOf(ResponsesTooLargeError)
  expect(total.bytes).toBe(0)
  await expect(readAllBytes(bodyOf(3), 2 * MIB, total)).rejects.toBeInstanceOf(ResponseTooLargeError)
  expect((await readAllBytes(bodyOf(4), 16 * MIB, total)).byteLength).toBe(4 * MIB)
  expect(total.bytes).toBe(0)
})

test('reads a small response however much the others hold', async () => {
  const total = { bytes: 100 * MIB, bytesMax: 4 * MIB }
  expect((await readAllBytes(bodyOf(1), MIB, total)).byteLength).toBe(MIB)
})
