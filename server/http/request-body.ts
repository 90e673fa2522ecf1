import { GatewayError } from '../core/errors.ts'
import { KIB, MIB } from '../core/limits.ts'
import type { FormField } from '../relay/request/client-connection.ts'
import type { BodyAllocation } from './body-memory.ts'
import { formReaderFor } from './form-body.ts'

const DECODERS = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'brotli', zstd: 'zstd' } as const
type Encoding = keyof typeof DECODERS
const isEncoding = (name: string): name is Encoding => Object.hasOwn(DECODERS, name)

/** Larger bodies are inspected while they arrive, smaller ones at once. */
const READ_AT_ONCE_BYTES_MAX = MIB

/** The largest body to read, and the memory that it is taken from. */
export interface BodyReadLimits {
  readonly bytesMax: number
  readonly memory: Pick<BodyAllocation, 'take'>
}

interface TextReadLimits extends BodyReadLimits {
  /** Receives each piece of the text as it arrives, and throws to reject the body. */
  readonly inspect: (piece: string) => void
}

/**
 * Reads a request body as text, decompressed. The limit counts decompressed bytes and is checked while reading.
 * Throws GatewayError `body_too_large`, `server_busy` when other bodies use the memory, `unsupported_media_type` for an
 * unknown encoding, `invalid_request` for bytes that do not decompress, and what `inspect` throws.
 */
export async function readText(request: Request, limits: TextReadLimits): Promise<string> {
  const body = prepareBody(request, limits)
  if (body.isReadAtOnce) {
    const text = await request.text()
    limits.inspect(text)
    return text
  }
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body.chunks) {
    const piece = decoder.decode(chunk, { stream: true })
    limits.inspect(piece)
    text += piece
  }
  const rest = decoder.decode()
  limits.inspect(rest)
  return text + rest
}

/** As `readText`, for forms. Throws as `formReaderFor` and the reader that it returns. */
export async function readForm(request: Request, limits: BodyReadLimits): Promise<readonly FormField[]> {
  const readFields = formReaderFor(request.headers.get('content-type') ?? '')
  const body = prepareBody(request, limits)
  return readFields(
    body.isReadAtOnce ? Buffer.from(await request.arrayBuffer()) : await concatenate(body.chunks),
  )
}

type PreparedBody =
  | { readonly isReadAtOnce: true }
  | { readonly isReadAtOnce: false; readonly chunks: AsyncIterable<Uint8Array<ArrayBuffer>> }

/** With a declared length the runtime enforces it, so a short body can be read at once; otherwise bytes are counted while they arrive. */
function prepareBody(request: Request, limits: BodyReadLimits): PreparedBody {
  const { bytesMax, memory } = limits
  const encoding = (request.headers.get('content-encoding') ?? '').trim().toLowerCase()
  const declaredBytes = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declaredBytes > bytesMax) throw tooLarge(bytesMax)
  if (encoding === '' || encoding === 'identity') {
    if (!(declaredBytes <= READ_AT_ONCE_BYTES_MAX))
      return { isReadAtOnce: false, chunks: limitBytes(request.body, limits) }
    memory.take(declaredBytes)
    return { isReadAtOnce: true }
  }
  if (!isEncoding(encoding))
    throw new GatewayError('unsupported_media_type', {
      zh: `不支持请求体编码 ${JSON.stringify(encoding)}，支持 gzip、deflate、br 和 zstd`,
      en: `the body's encoding is ${JSON.stringify(encoding)}; gzip, deflate, br and zstd are supported`,
    })
  const decompressed = request.body?.pipeThrough(decoderOf(encoding)) ?? null
  return { isReadAtOnce: false, chunks: limitBytes(decompressed, limits) }
}

/** The runtime supports more formats than the type of the standard lists. */
const decoderOf = (encoding: Encoding): DecompressionStream =>
  new DecompressionStream(DECODERS[encoding] as CompressionFormat)

async function* limitBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  { bytesMax, memory }: BodyReadLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      memory.take(chunk.byteLength)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError(
      'invalid_request',
      { zh: '无法读取或解压请求体', en: 'the body could not be read or decompressed' },
      { cause },
    )
  }
}

async function concatenate(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

function tooLarge(bytesMax: number): GatewayError {
  const size = bytesMax < MIB ? `${bytesMax / KIB} KiB` : `${bytesMax / MIB} MiB`
  return new GatewayError('body_too_large', {
    zh: `请求体超过 ${size}`,
    en: `the body is larger than ${size}`,
  })
}
