import { GatewayError } from '../core/errors.ts'
import { MIB } from '../core/limits.ts'

const DECODERS = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'brotli', zstd: 'zstd' } as const
const FORM_TYPE = /^(multipart\/form-data|application\/x-www-form-urlencoded)(;|$)/i
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i
/** Nobody asks with more. The runtime reads a form at once, and meanwhile nobody else is answered. */
const FIELDS_MAX = 1_000
type Encoding = keyof typeof DECODERS
const isEncoding = (name: string): name is Encoding => Object.hasOwn(DECODERS, name)

/**
 * Reads a request's body as text, decompressed. The limit counts decompressed bytes and is checked while reading.
 * Throws GatewayError `body_too_large`, `unsupported_media_type` for an unknown encoding, `invalid_request` for bytes
 * that do not decompress.
 */
export function readText(request: Request, bytesMax: number): Promise<string> {
  const body = openBody(request, bytesMax)
  return body.isWhole ? request.text() : decoded(body.pieces)
}

async function decoded(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of pieces) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

/**
 * As `readText`, for forms. Throws GatewayError `unsupported_media_type` for a body of another type, `invalid_request`
 * for more fields than anybody needs.
 */
export async function readForm(request: Request, bytesMax: number): Promise<FormData> {
  const contentType = request.headers.get('content-type') ?? ''
  if (!FORM_TYPE.test(contentType))
    throw new GatewayError(
      'unsupported_media_type',
      `the body is ${contentType || 'of no type'}, multipart/form-data is needed`,
    )
  const body = openBody(request, bytesMax)
  const bytes = body.isWhole ? await request.arrayBuffer() : await joined(body.pieces)
  refuseManyFields(bytes, contentType)
  try {
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch (cause) {
    throw new GatewayError('invalid_request', 'the body is no form that can be read', { cause })
  }
}

/** What stands between two fields stands in none of them. */
function refuseManyFields(bytes: ArrayBuffer, contentType: string): void {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? plain
  const separator = boundary === undefined ? '&' : `--${boundary}`
  const body = Buffer.from(bytes)
  let at = body.indexOf(separator)
  for (let fields = 1; at >= 0; fields += 1) {
    if (fields > FIELDS_MAX)
      throw new GatewayError('invalid_request', `the form has more than ${FIELDS_MAX} fields`)
    at = body.indexOf(separator, at + separator.length)
  }
}

type OpenBody =
  | { readonly isWhole: true }
  | { readonly isWhole: false; readonly pieces: AsyncIterable<Uint8Array<ArrayBuffer>> }

/** Whole: it is as long as it says, and may be read at once. */
function openBody(request: Request, bytesMax: number): OpenBody {
  const encoding = (request.headers.get('content-encoding') ?? '').trim().toLowerCase()
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced > bytesMax) throw tooLarge(bytesMax)
  if (encoding === '' || encoding === 'identity')
    return announced >= 0 ? { isWhole: true } : { isWhole: false, pieces: counted(request.body, bytesMax) }
  if (!isEncoding(encoding))
    throw new GatewayError(
      'unsupported_media_type',
      `the body's encoding is ${JSON.stringify(encoding)}; gzip, deflate, br and zstd can be read`,
    )
  const decompressed = request.body?.pipeThrough(decoderOf(encoding)) ?? null
  return { isWhole: false, pieces: counted(decompressed, bytesMax) }
}

/** The runtime knows more formats than the standard's type does. */
const decoderOf = (encoding: Encoding): DecompressionStream =>
  new DecompressionStream(DECODERS[encoding] as CompressionFormat)

async function* counted(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  bytesMax: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let bytes = 0
  try {
    for await (const piece of body ?? []) {
      bytes += piece.byteLength
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      yield piece
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('invalid_request', 'the body could not be read or decompressed', { cause })
  }
}

async function joined(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of pieces) parts.push(piece)
  return new Blob(parts).arrayBuffer()
}

const tooLarge = (bytesMax: number): GatewayError =>
  new GatewayError('body_too_large', `the body is larger than ${bytesMax / MIB} MiB`)
