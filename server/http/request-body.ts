import { GatewayError } from '../core/errors.ts'
import { MIB } from '../core/limits.ts'

const DECODERS = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'brotli', zstd: 'zstd' } as const
const FORM_TYPE = /^(multipart\/form-data|application\/x-www-form-urlencoded)(;|$)/i
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i
/** The runtime parses a form in one go and blocks the event loop meanwhile. */
const FIELDS_MAX = 1_000
type Encoding = keyof typeof DECODERS
const isEncoding = (name: string): name is Encoding => Object.hasOwn(DECODERS, name)

/**
 * Reads a request body as text, decompressed. The limit counts decompressed bytes and is checked while reading.
 * Throws GatewayError `body_too_large`, `unsupported_media_type` for an unknown encoding, `invalid_request` for bytes
 * that do not decompress.
 */
export function readText(request: Request, bytesMax: number): Promise<string> {
  const body = prepareBody(request, bytesMax)
  return body.hasLength ? request.text() : decodeText(body.chunks)
}

async function decodeText(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/**
 * As `readText`, for forms. Throws GatewayError `unsupported_media_type` for a body of another type, `invalid_request`
 * for more than 1,000 fields.
 */
export async function readForm(request: Request, bytesMax: number): Promise<FormData> {
  const contentType = request.headers.get('content-type') ?? ''
  if (!FORM_TYPE.test(contentType))
    throw new GatewayError(
      'unsupported_media_type',
      `the content type must be multipart/form-data, found ${contentType || 'none'}`,
    )
  const body = prepareBody(request, bytesMax)
  const bytes = body.hasLength ? await request.arrayBuffer() : await concatenate(body.chunks)
  rejectManyFields(bytes, contentType)
  try {
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch (cause) {
    throw new GatewayError('invalid_request', 'the body is not a valid form', { cause })
  }
}

/** Counts separators, which never occur inside a field. */
function rejectManyFields(bytes: ArrayBuffer, contentType: string): void {
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

type PreparedBody =
  | { readonly hasLength: true }
  | { readonly hasLength: false; readonly chunks: AsyncIterable<Uint8Array<ArrayBuffer>> }

/** With a declared length the runtime enforces it, so the body can be read at once; otherwise it is counted while it is read. */
function prepareBody(request: Request, bytesMax: number): PreparedBody {
  const encoding = (request.headers.get('content-encoding') ?? '').trim().toLowerCase()
  const declaredBytes = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declaredBytes > bytesMax) throw tooLarge(bytesMax)
  if (encoding === '' || encoding === 'identity')
    return declaredBytes >= 0
      ? { hasLength: true }
      : { hasLength: false, chunks: limitBytes(request.body, bytesMax) }
  if (!isEncoding(encoding))
    throw new GatewayError(
      'unsupported_media_type',
      `the body's encoding is ${JSON.stringify(encoding)}; gzip, deflate, br and zstd are supported`,
    )
  const decompressed = request.body?.pipeThrough(decoderOf(encoding)) ?? null
  return { hasLength: false, chunks: limitBytes(decompressed, bytesMax) }
}

/** The runtime supports more formats than the type of the standard lists. */
const decoderOf = (encoding: Encoding): DecompressionStream =>
  new DecompressionStream(DECODERS[encoding] as CompressionFormat)

async function* limitBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  bytesMax: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    throw new GatewayError('invalid_request', 'the body could not be read or decompressed', { cause })
  }
}

async function concatenate(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new Blob(parts).arrayBuffer()
}

const tooLarge = (bytesMax: number): GatewayError =>
  new GatewayError('body_too_large', `the body is larger than ${bytesMax / MIB} MiB`)
