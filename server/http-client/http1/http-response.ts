import { MIB } from '../../core/limits.ts'
import type { ResponseHeaders } from '../../provider-kit/failures.ts'

/** A response whose head was received. Its body is read once, either in pieces or all at once. */
export interface HttpResponse {
  readonly status: number
  /** The status is 2xx. */
  readonly ok: boolean
  readonly headers: ResponseHeaders
  /** False when the head says that no body follows. */
  readonly hasBody: boolean
  /**
   * The next bytes as they arrive; undefined at the end. Rejects when the connection breaks. When nothing arrives within
   * `timeoutMs`, cancels the call and rejects with ResponseStalledError.
   */
  next(timeoutMs?: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** All remaining bytes. Rejects when the connection breaks, and with ResponseTooLargeError above `bytesMax`. */
  readAll(bytesMax: number): Promise<Uint8Array<ArrayBuffer>>
  /** All remaining bytes as UTF-8 text if they were received already, else undefined. Saves a round of the event loop. */
  bufferedText(bytesMax: number): string | undefined
  /** Ends the call. Unread bytes are lost, and a pending read rejects with the reason. */
  cancel(reason?: unknown): void
}

const PASSABLE_VALUE = /^[\t\x20-\x7e]*$/

/** Null for the value of a header with control characters or beyond ASCII, which could not be passed on to a client. */
export const passableValue = (value: string | null): string | null =>
  value === null || PASSABLE_VALUE.test(value) ? value : null

/** A connection or a response failed. `code`: a system error code such as ECONNRESET. */
export class HttpError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export class ResponseTooLargeError extends Error {}

export class ResponseStalledError extends Error {
  readonly afterMs: number

  constructor(afterMs: number) {
    super()
    this.afterMs = afterMs
  }
}

/** All responses that are being read together hold too many bytes. */
export class ResponsesTooLargeError extends Error {}

/** Smaller responses are read in any case. */
const LARGE_BYTES_MIN = MIB
/** Bytes of large responses that are being read. */
const allResponses = { bytes: 0, bytesMax: 512 * MIB }

/** Rejects as `response.next` does, and with ResponseTooLargeError or ResponsesTooLargeError above a limit. */
export async function readAllBytes(
  response: Pick<HttpResponse, 'next'>,
  bytesMax: number,
  total = allResponses,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for (let chunk = await response.next(); chunk; chunk = await response.next()) {
      chunks.push(chunk)
      size += chunk.byteLength
      total.bytes += chunk.byteLength
      if (size > bytesMax) throw new ResponseTooLargeError()
      if (size > LARGE_BYTES_MIN && total.bytes > total.bytesMax) throw new ResponsesTooLargeError()
    }
  } finally {
    total.bytes -= size
  }
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks, size)
}

interface StreamedResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: ResponseHeaders
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null
}

/** A response whose body is a web stream: from the runtime's `fetch`, a WebSocket, or a decompressor. */
export class StreamHttpResponse implements HttpResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: ResponseHeaders
  readonly hasBody: boolean
  private readonly abortCall: (reason?: unknown) => void
  private readonly reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined
  private cancelled: { readonly reason: unknown } | undefined

  /** `abortCall` ends the call that the stream comes from. */
  constructor({ status, ok, headers, body }: StreamedResponse, abortCall: (reason?: unknown) => void) {
    this.status = status
    this.ok = ok
    this.headers = { get: name => passableValue(headers.get(name)) }
    this.hasBody = body !== null
    this.abortCall = abortCall
    this.reader = body?.getReader()
  }

  async next(timeoutMs?: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const deadline = timeoutMs
      ? setTimeout(() => this.cancel(new ResponseStalledError(timeoutMs)), timeoutMs)
      : undefined
    try {
      const read = await this.reader?.read()
      if (read?.value || !this.cancelled) return read?.value
    } catch (error) {
      if (!this.cancelled) throw error
    } finally {
      clearTimeout(deadline)
    }
    throw this.cancelled?.reason
  }

  readAll(bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    return readAllBytes(this, bytesMax)
  }

  bufferedText(): undefined {
    return undefined
  }

  cancel(reason: unknown = new HttpError('ECANCELED', 'the call was cancelled')): void {
    if (this.cancelled) return
    this.cancelled = { reason }
    this.abortCall(reason)
    this.reader?.cancel(reason).catch(() => undefined)
  }
}
