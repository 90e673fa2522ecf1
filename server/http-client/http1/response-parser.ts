import { KIB, MIB } from '../../core/limits.ts'
import type { ResponseHeaders } from '../../provider-kit/failures.ts'
import { HttpError, passableValue } from './http-response.ts'

/** Receives the parts of one response, in this order. */
export interface ResponseListener {
  onHead(head: ResponseHead): void
  /** Some bytes of the body. */
  onData(range: ByteRange): void
  /** The body is complete. */
  onEnd(): void
}

export interface ResponseHead {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly bodyEnd: BodyEnd
  /** Bytes of the body; 0 unless `bodyEnd` is `length`. */
  readonly length: number
  /** Whether the server keeps the connection open for another request. */
  readonly keepsAlive: boolean
}

/** How the end of a body is found: there is none, its length is known, it comes in chunks, or the connection closes. */
type BodyEnd = 'none' | 'length' | 'chunks' | 'close'

type ParserState = 'head' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close' | 'done'

/** For the head of the response and all informational ones before it. */
const HEAD_BYTES_MAX = 64 * KIB
const CHUNK_LINE_BYTES_MAX = 4 * KIB
/** For what servers write after the sizes of chunks, which nobody reads. */
const EXTENSION_BYTES_MAX = MIB
/** Beyond this many chunks they must have a few bytes on average, since each one costs as much as hundreds of bytes. */
const SMALL_CHUNKS_MAX = 100_000
const AVERAGE_CHUNK_BYTES_MIN = 16
const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')
const CR = 0x0d
const LF = 0x0a
const HEX_DIGITS_MAX = 7
const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;|$)/
const INFORMATIONAL_STATUS_MAX = 199
const STATUS_SWITCHING_PROTOCOLS = 101

const STATE_AFTER_HEAD = {
  none: 'done',
  length: 'body',
  chunks: 'chunk-size',
  close: 'until-close',
} as const satisfies Readonly<Record<BodyEnd, ParserState>>

/** Parses one HTTP/1.1 response (RFC 9112) from bytes split anywhere. Buffers at most one unfinished line or head. */
export class ResponseParser {
  private readonly listener: ResponseListener
  private state: ParserState = 'head'
  /** Bytes that are still to come of the body, or of the current chunk. */
  private bytesLeft = 0
  private unfinished: Buffer<ArrayBuffer> | undefined
  private keepsAlive = true
  private hasExcess = false
  private headBytes = 0
  private chunks = 0
  private chunkBytes = 0
  private trailerBytes = 0
  private extensionBytes = 0

  constructor(listener: ResponseListener) {
    this.listener = listener
  }

  /** Throws HttpError EPROTO for malformed responses. */
  push(received: Buffer<ArrayBuffer>): void {
    if (this.state === 'done') {
      this.hasExcess = true
      return
    }
    const bytes = this.unfinished ? Buffer.concat([this.unfinished, received]) : received
    this.unfinished = undefined
    let at = 0
    while (at < bytes.length) {
      const next = this.parseAt(bytes, at)
      if (next === at) {
        this.unfinished = bytes.subarray(at)
        return
      }
      at = next
      if (this.isDone()) {
        if (at < bytes.length) this.hasExcess = true
        this.listener.onEnd()
        return
      }
    }
  }

  /** The server closed the connection. Returns false when that cut the response short. */
  close(): boolean {
    if (this.state !== 'until-close') return this.state === 'done'
    this.state = 'done'
    this.listener.onEnd()
    return true
  }

  /** Whether the response is complete. */
  isDone(): boolean {
    return this.state === 'done'
  }

  /** Whether the response is complete and the connection can take another request. */
  isReusable(): boolean {
    return this.state === 'done' && this.keepsAlive && !this.hasExcess
  }

  /** Whether bytes followed the end of the response. They belong to no request. */
  hasExcessBytes(): boolean {
    return this.hasExcess
  }

  /** Returns where the next part begins, or `at` when more bytes are needed first. */
  private parseAt(bytes: Buffer<ArrayBuffer>, at: number): number {
    switch (this.state) {
      case 'head':
        return this.parseHead(bytes, at)
      case 'body':
        return this.passBody(bytes, at, 'done')
      case 'chunk':
        return this.passBody(bytes, at, 'chunk-end')
      case 'until-close':
        this.listener.onData({ bytes, start: at, end: bytes.length })
        return bytes.length
      default:
        return this.parseLine(bytes, at)
    }
  }

  private parseHead(bytes: Buffer<ArrayBuffer>, at: number): number {
    const end = bytes.indexOf(HEAD_END, at)
    if (this.headBytes + (end < 0 ? bytes.length : end) - at > HEAD_BYTES_MAX)
      throw new HttpError('EPROTO', 'the response head is too long')
    if (end < 0) return at
    this.headBytes += end + HEAD_END.length - at
    const head = parseResponseHead(bytes.toString('latin1', at, end))
    if (head.status > INFORMATIONAL_STATUS_MAX) this.beginBody(head)
    else if (head.status === STATUS_SWITCHING_PROTOCOLS)
      throw new HttpError('EPROTO', 'the server switched to a protocol that was not requested')
    return end + HEAD_END.length
  }

  private beginBody(head: ResponseHead): void {
    this.keepsAlive = head.keepsAlive && head.bodyEnd !== 'close'
    this.bytesLeft = head.length
    this.state = STATE_AFTER_HEAD[head.bodyEnd]
    this.listener.onHead(head)
  }

  private passBody(bytes: Buffer<ArrayBuffer>, at: number, next: ParserState): number {
    const end = Math.min(at + this.bytesLeft, bytes.length)
    this.bytesLeft -= end - at
    if (this.bytesLeft === 0) this.state = next
    this.listener.onData({ bytes, start: at, end })
    return end
  }

  private parseLine(bytes: Buffer<ArrayBuffer>, at: number): number {
    return this.parsePlainLine(bytes, at) ?? this.parseAnyLine(bytes, at)
  }

  /** The line before or after the data of most chunks, without a text of its own. Undefined for any other. */
  private parsePlainLine(bytes: Buffer<ArrayBuffer>, at: number): number | undefined {
    let end = at
    let size = 0
    for (
      let digit = hexDigit(bytes[end]);
      digit >= 0 && end - at < HEX_DIGITS_MAX;
      digit = hexDigit(bytes[end])
    ) {
      size = size * 16 + digit
      end += 1
    }
    if (bytes[end] !== CR || bytes[end + 1] !== LF) return undefined
    if (this.state === 'chunk-end' && end === at) this.state = 'chunk-size'
    else if (this.state === 'chunk-size' && size > 0) this.beginChunk(size)
    else return undefined
    return end + LINE_END.length
  }

  private parseAnyLine(bytes: Buffer<ArrayBuffer>, at: number): number {
    const end = bytes.indexOf(LINE_END, at)
    if ((end < 0 ? bytes.length : end) - at > CHUNK_LINE_BYTES_MAX)
      throw new HttpError('EPROTO', 'a chunk header or trailer line is too long')
    if (end < 0) return at
    this.takeLine(bytes.toString('latin1', at, end))
    return end + LINE_END.length
  }

  private takeLine(line: string): void {
    if (this.state === 'chunk-size') this.takeChunkSize(line)
    else if (this.state === 'trailer') this.skipTrailer(line)
    else if (line === '') this.state = 'chunk-size'
    else throw new HttpError('EPROTO', 'a chunk is longer than its declared size')
  }

  private takeChunkSize(line: string): void {
    const [, digits] = CHUNK_SIZE.exec(line) ?? []
    if (digits === undefined) throw new HttpError('EPROTO', 'the size of a chunk is malformed')
    this.extensionBytes += line.length - digits.length
    if (this.extensionBytes > EXTENSION_BYTES_MAX)
      throw new HttpError('EPROTO', 'the extensions of chunks are too long')
    const size = Number.parseInt(digits, 16)
    if (size === 0) this.state = 'trailer'
    else this.beginChunk(size)
  }

  private beginChunk(size: number): void {
    this.bytesLeft = size
    this.state = 'chunk'
    this.chunks += 1
    this.chunkBytes += size
    if (this.chunks > SMALL_CHUNKS_MAX && this.chunkBytes < this.chunks * AVERAGE_CHUNK_BYTES_MIN)
      throw new HttpError('EPROTO', 'the chunks are too small')
  }

  private skipTrailer(line: string): void {
    this.trailerBytes += line.length
    if (this.trailerBytes > HEAD_BYTES_MAX) throw new HttpError('EPROTO', 'the response trailer is too long')
    if (line === '') this.state = 'done'
  }
}

/** Its value, or -1 for any other character. */
function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

const STATUS_LINE = /^HTTP\/1\.[01] [1-5]\d\d(?: |\r|$)/
const MINOR_VERSION_INDEX = 7
const STATUS_START = 9
const STATUS_END = 12
const FOLDED_LINE = /\r\n[ \t]+/g
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])
const CONTENT_LENGTH = /^\d{1,15}$/

/** `text`: the head without the empty line that ends it. Throws HttpError EPROTO when it is malformed or the end of the body is ambiguous. */
function parseResponseHead(text: string): ResponseHead {
  const isFolded = text.includes('\r\n ') || text.includes('\r\n\t')
  const unfolded = isFolded ? text.replaceAll(FOLDED_LINE, ' ') : text
  if (!STATUS_LINE.test(unfolded)) throw new HttpError('EPROTO', 'this is not an HTTP/1.1 response')
  const status = Number(unfolded.slice(STATUS_START, STATUS_END))
  const minorVersion = unfolded.charAt(MINOR_VERSION_INDEX)
  const headers = new RawHeaders(unfolded)
  const connection = headers.find('connection')?.toLowerCase() ?? ''
  const keepsAlive = minorVersion === '1' ? !connection.includes('close') : connection.includes('keep-alive')
  return {
    status,
    headers,
    ...findBodyEnd(status, headers),
    keepsAlive: keepsAlive && !contradictsStatus(status, headers),
  }
}

/** The status allows no body, yet the headers declare one: servers differ in whether its bytes follow. */
const contradictsStatus = (status: number, headers: RawHeaders): boolean =>
  STATUSES_WITHOUT_BODY.has(status) &&
  (headers.find('transfer-encoding') !== null || (headers.find('content-length') ?? '0') !== '0')

function findBodyEnd(status: number, headers: RawHeaders): Pick<ResponseHead, 'bodyEnd' | 'length'> {
  if (status < 200 || STATUSES_WITHOUT_BODY.has(status)) return { bodyEnd: 'none', length: 0 }
  const coding = headers.find('transfer-encoding')?.toLowerCase()
  if (coding === 'chunked') return { bodyEnd: 'chunks', length: 0 }
  if (coding !== undefined) throw new HttpError('EPROTO', 'the transfer coding is unknown')
  const text = headers.find('content-length')
  if (text === null) return { bodyEnd: 'close', length: 0 }
  const length = parseContentLength(text)
  return { bodyEnd: length === 0 ? 'none' : 'length', length }
}

/** The header may be repeated as long as every value is the same (RFC 9112, section 6.3). */
function parseContentLength(text: string): number {
  if (CONTENT_LENGTH.test(text)) return Number(text)
  const [first = '', ...others] = text.split(', ')
  if (!CONTENT_LENGTH.test(first) || others.some(other => other !== first))
    throw new HttpError('EPROTO', 'the content length is malformed')
  return Number(first)
}

/** Searches the raw text on demand, since most response headers are never read. */
class RawHeaders implements ResponseHeaders {
  private readonly text: string
  private readonly lowerCaseText: string

  constructor(text: string) {
    this.text = text
    this.lowerCaseText = text.toLowerCase()
  }

  get(name: string): string | null {
    return passableValue(this.find(name))
  }

  /** Like `get`, with any characters. */
  find(name: string): string | null {
    const mark = `\r\n${name}:`
    let at = this.lowerCaseText.indexOf(mark)
    if (at < 0) return null
    let value = this.valueAt(at + mark.length)
    for (
      at = this.lowerCaseText.indexOf(mark, at + 2);
      at >= 0;
      at = this.lowerCaseText.indexOf(mark, at + 2)
    )
      value += `, ${this.valueAt(at + mark.length)}`
    return value
  }

  private valueAt(start: number): string {
    const end = this.text.indexOf('\r\n', start)
    return this.text.slice(start, end < 0 ? undefined : end).trim()
  }
}

/** A slice of received bytes. They are not copied and must not be changed. */
export interface ByteRange {
  readonly bytes: Buffer<ArrayBuffer>
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

const UTF8_BOM = 0xfeff

export const rangeLength = ({ start, end }: ByteRange): number => end - start

/** The runtime moves what it received out of its heap for a view, which costs more than copying up to a KiB. */
const COPIED_BYTES_MAX = KIB

/** The range alone. */
export function rangeBytes({ bytes, start, end }: ByteRange): Uint8Array<ArrayBuffer> {
  const size = end - start
  if (size > COPIED_BYTES_MAX) return new Uint8Array(bytes.buffer, bytes.byteOffset + start, size)
  const copy = new Uint8Array(size)
  bytes.copy(copy, 0, start, end)
  return copy
}

/** Decodes UTF-8 as `TextDecoder` does, without a byte order mark. */
export function rangeText({ bytes, start, end }: ByteRange): string {
  const text = bytes.toString('utf8', start, end)
  return text.charCodeAt(0) === UTF8_BOM ? text.slice(1) : text
}
