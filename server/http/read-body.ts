import { GatewayError } from '../kernel/errors.ts'
import { MIB } from '../kernel/limits.ts'

const DECODERS = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'brotli', zstd: 'zstd' } as const
type Encoding = keyof typeof DECODERS
const isEncoding = (name: string): name is Encoding => Object.hasOwn(DECODERS, name)

/**
 * Reads a request's body as text, decompressed. The limit counts decompressed bytes and is checked while reading.
 * Throws GatewayError `body_too_large`, `unsupported_media_type` for an unknown encoding, `invalid_request` for bytes
 * that do not decompress.
 */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const encoding = (request.headers.get('content-encoding') ?? '').trim().toLowerCase()
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > bytesMax) throw tooLarge(bytesMax)
  if (encoding === '' || encoding === 'identity')
    return announced >= 0 ? request.text() : readCounted(request.body, bytesMax)
  if (!isEncoding(encoding))
    throw new GatewayError(
      'unsupported_media_type',
      `the body's encoding is ${JSON.stringify(encoding)}; gzip, deflate, br and zstd can be read`,
    )
  return readCounted(request.body?.pipeThrough(decoderOf(encoding)) ?? null, bytesMax)
}

/** The runtime knows more formats than the standard's type does. */
const decoderOf = (encoding: Encoding): DecompressionStream =>
  new DecompressionStream(DECODERS[encoding] as CompressionFormat)

async function readCounted(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for await (const piece of body ?? []) {
      bytes += piece.byteLength
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      text += decoder.decode(piece, { stream: true })
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('invalid_request', 'the body could not be read or decompressed', { cause })
  }
  return text + decoder.decode()
}

const tooLarge = (bytesMax: number): GatewayError =>
  new GatewayError('body_too_large', `the body is larger than ${bytesMax / MIB} MiB`)
