import { FetchedResponse } from './fetch-response.ts'
import { WireError } from './http-error.ts'
import type { UpstreamResponse } from './upstream-response.ts'

const FORMATS: ReadonlyMap<string, Bun.CompressionFormat> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

/**
 * The answer as it was before it was compressed, although that was not asked for; others as they are. Throws WireError
 * EPROTO where nobody knows how it was compressed.
 */
export function unpacked(response: UpstreamResponse): UpstreamResponse {
  const { status, ok, headers } = response
  const coding = headers.get('content-encoding')?.toLowerCase()
  if (!coding || coding === 'identity' || !response.hasBody) return response
  const format = FORMATS.get(coding)
  if (!format) throw new WireError('EPROTO', 'the answer is compressed in an unknown way')
  const body = bytesOf(response).pipeThrough(openUnpacking(format))
  return new FetchedResponse({ status, ok, headers, body }, reason => response.cancel(reason))
}

/** The runtime knows more formats than the browser's declaration of the same name. */
const openUnpacking = (format: Bun.CompressionFormat) => new DecompressionStream(format as CompressionFormat)

/** At the pace of whoever reads. */
const bytesOf = (response: UpstreamResponse): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const piece = await response.next()
        if (piece) controller.enqueue(piece)
        else controller.close()
      },
      cancel: reason => response.cancel(reason),
    },
    { highWaterMark: 0 },
  )
