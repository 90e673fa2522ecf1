import { nextTurn } from '../core/async.ts'
import { GatewayError } from '../core/errors.ts'
import { KIB, MIB } from '../core/limits.ts'
import type { BodyAllocation } from '../relay/request/body-memory.ts'
import type { FormField } from '../relay/request/client-connection.ts'
import { formReaderFor } from './form-body.ts'

const DECODERS = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'brotli', zstd: 'zstd' } as const
type Encoding = keyof typeof DECODERS
const isEncoding = (name: string): name is Encoding => Object.hasOwn(DECODERS, name)

/** A body that is decompressed may arrive without an end: other requests take their turns in between. */
const BYTES_PER_TURN = MIB / 4
/** Smaller bodies do not justify a reservation. */
const AHEAD_BYTES_MIN = MIB / 2
/** Larger bodies are inspected while they arrive, smaller ones at once. */
const READ_AT_ONCE_BYTES_MAX = MIB

/** The largest body to read, and the memory that it is taken from. */
export interface BodyReadLimits {
  readonly bytesMax: number
  readonly memory: Pick<BodyAllocation, 'take'>
}

/**
 * Reads a request body as text, decompressed, and hands it over in pieces as it arrives. The limit counts decompressed
 * bytes and is checked while reading. Throws GatewayError `body_too_large`, `server_busy` when other bodies use the
 * memory, `unsupported_media_type` for an unknown encoding, `invalid_request` for bytes that do not decompress, and what
 * `onPiece` throws.
 */
export async function readRequestText(
  request: Request,
  limits: BodyReadLimits,
  onPiece: (piece: string) => void,
): Promise<void> {
  const body = prepareBody(request, limits)
  if (body.isReadAtOnce) {
    onPiece(await request.text())
    return
  }
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const chunk of body.chunks)
    for (const part of cutIntoParts(chunk)) {
      onPiece(decoder.decode(part, { stream: true }))
      bytes += part.byteLength
      if (bytes < BYTES_PER_TURN) continue
      bytes = 0
      await nextTurn()
    }
  onPiece(decoder.decode())
}

/** Data that arrives while the process is busy comes as one chunk. */
function* cutIntoParts(chunk: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < chunk.byteLength; at += BYTES_PER_TURN) yield chunk.subarray(at, at + BYTES_PER_TURN)
}

/** Like `readText`, for forms. Throws like `formReaderFor` and its reader. */
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
  return { isReadAtOnce: false, chunks: limitBytes(decompressed, { bytesMax, memory: takeAhead(limits) }) }
}

/** The runtime supports more formats than the type of the standard lists. */
const decoderOf = (encoding: Encoding): DecompressionStream =>
  new DecompressionStream(DECODERS[encoding] as CompressionFormat)

/**
 * The length of a compressed body is unknown, and a small one may become the largest. Takes twice what has arrived, so that
 * of many such bodies most are rejected early, before all have cost time.
 */
function takeAhead({ bytesMax, memory }: BodyReadLimits): BodyReadLimits['memory'] {
  let arrivedBytes = 0
  let takenBytes = 0
  return {
    take(bytes) {
      arrivedBytes += bytes
      if (arrivedBytes <= takenBytes) return
      const bytesAhead = arrivedBytes < AHEAD_BYTES_MIN ? arrivedBytes : Math.min(2 * arrivedBytes, bytesMax)
      memory.take(bytesAhead - takenBytes)
      takenBytes = bytesAhead
    },
  }
}

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

/** Frees what has arrived of a body that nobody reads, since its call was refused: the runtime keeps it until much later. */
export function dropUnreadBody(request: Request): void {
  if (!request.bodyUsed) void request.body?.cancel().catch(() => undefined)
}
