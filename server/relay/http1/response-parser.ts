import { KIB } from '../../core/limits.ts'
import type { Stretch } from './byte-range.ts'
import { WireError } from './http-error.ts'
import { type AnswerHead, readAnswerHead } from './response-head.ts'

/** Is told of one answer, in this order. */
export interface AnswerListener {
  head(head: AnswerHead): void
  /** Bytes of the body. */
  piece(stretch: Stretch): void
  /** All of the body was told. */
  end(): void
}

type Step = 'head' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close' | 'over'

const HEAD_BYTES_MAX = 64 * KIB
const CHUNK_LINE_BYTES_MAX = 4 * KIB
const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')
const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;|$)/
const CONTINUE_MAX = 199

/** Reads one answer of HTTP/1.1 (RFC 9112) from bytes that may be cut anywhere. Keeps no more than an unfinished line. */
export class AnswerReader {
  private readonly listener: AnswerListener
  private step: Step = 'head'
  /** Of the body, or of the chunk. */
  private bytesLeft = 0
  private unfinished: Buffer<ArrayBuffer> | undefined
  private keepsAlive = true
  private trailerBytes = 0

  constructor(listener: AnswerListener) {
    this.listener = listener
  }

  /** Throws WireError EPROTO for what is no answer. */
  push(come: Buffer<ArrayBuffer>): void {
    if (this.step === 'over') {
      this.keepsAlive = false
      return
    }
    const bytes = this.unfinished ? Buffer.concat([this.unfinished, come]) : come
    this.unfinished = undefined
    let at = 0
    while (at < bytes.length) {
      const next = this.take(bytes, at)
      if (next === at) {
        this.unfinished = bytes.subarray(at)
        return
      }
      at = next
      if (this.isOver()) {
        if (at < bytes.length) this.keepsAlive = false
        this.listener.end()
        return
      }
    }
  }

  /** The connection has closed. False when the answer is not whole by that. */
  close(): boolean {
    if (this.step !== 'until-close') return this.step === 'over'
    this.step = 'over'
    this.listener.end()
    return true
  }

  /** Whether the answer is whole. */
  isOver(): boolean {
    return this.step === 'over'
  }

  /** Once the answer is whole: whether the connection can take another request. */
  isReusable(): boolean {
    return this.step === 'over' && this.keepsAlive
  }

  /** Where the next step begins: `at` again when more must come first. */
  private take(bytes: Buffer<ArrayBuffer>, at: number): number {
    switch (this.step) {
      case 'head':
        return this.takeHead(bytes, at)
      case 'body':
        return this.takeBody(bytes, at, 'over')
      case 'chunk':
        return this.takeBody(bytes, at, 'chunk-end')
      case 'until-close':
        this.listener.piece({ bytes, start: at, end: bytes.length })
        return bytes.length
      default:
        return this.takeLine(bytes, at)
    }
  }

  private takeHead(bytes: Buffer<ArrayBuffer>, at: number): number {
    const end = bytes.indexOf(HEAD_END, at)
    if ((end < 0 ? bytes.length : end) - at > HEAD_BYTES_MAX)
      throw new WireError('EPROTO', 'the head of the answer is too long')
    if (end < 0) return at
    const head = readAnswerHead(bytes.toString('latin1', at, end))
    if (head.status > CONTINUE_MAX) this.beginBody(head)
    else if (head.status === SWITCHING) throw new WireError('EPROTO', 'another protocol was not asked for')
    return end + HEAD_END.length
  }

  private beginBody(head: AnswerHead): void {
    this.keepsAlive = head.keepsAlive && head.bodyEnd !== 'close'
    this.bytesLeft = head.length
    this.step = FIRST_STEP[head.bodyEnd]
    this.listener.head(head)
  }

  private takeBody(bytes: Buffer<ArrayBuffer>, at: number, next: Step): number {
    const end = Math.min(at + this.bytesLeft, bytes.length)
    this.bytesLeft -= end - at
    if (this.bytesLeft === 0) this.step = next
    this.listener.piece({ bytes, start: at, end })
    return end
  }

  private takeLine(bytes: Buffer<ArrayBuffer>, at: number): number {
    const end = bytes.indexOf(LINE_END, at)
    if ((end < 0 ? bytes.length : end) - at > CHUNK_LINE_BYTES_MAX)
      throw new WireError('EPROTO', 'a line between two pieces of the answer is too long')
    if (end < 0) return at
    this.readLine(bytes.toString('latin1', at, end))
    return end + LINE_END.length
  }

  private readLine(line: string): void {
    if (this.step === 'chunk-size') this.beginChunk(line)
    else if (this.step === 'trailer') this.passTrailer(line)
    else if (line === '') this.step = 'chunk-size'
    else throw new WireError('EPROTO', 'a piece of the answer is longer than it said')
  }

  private beginChunk(line: string): void {
    const [, size] = CHUNK_SIZE.exec(line) ?? []
    if (size === undefined) throw new WireError('EPROTO', 'the length of a piece cannot be read')
    this.bytesLeft = Number.parseInt(size, 16)
    this.step = this.bytesLeft === 0 ? 'trailer' : 'chunk'
  }

  private passTrailer(line: string): void {
    this.trailerBytes += line.length
    if (this.trailerBytes > HEAD_BYTES_MAX) throw new WireError('EPROTO', 'the end of the answer is too long')
    if (line === '') this.step = 'over'
  }
}

const SWITCHING = 101

const FIRST_STEP = {
  none: 'over',
  length: 'body',
  chunks: 'chunk-size',
  close: 'until-close',
} as const satisfies Readonly<Record<AnswerHead['bodyEnd'], Step>>
