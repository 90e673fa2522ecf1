import type { AnswerHeaders } from '../../provider-kit/answer-headers.ts'
import { WireError } from './http-error.ts'

/** How the end of a body is found: it has none, its length is known, it comes in chunks, or the connection closes. */
export type BodyEnd = 'none' | 'length' | 'chunks' | 'close'

export interface AnswerHead {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly bodyEnd: BodyEnd
  /** Bytes of the body, where its end is known by them. */
  readonly length: number
  /** Whether the other side keeps the connection for another request. */
  readonly keepsAlive: boolean
}

const STATUS_LINE = /^HTTP\/1\.[01] [1-5]\d\d(?: |\r|$)/
const MINOR_PLACE = 7
const STATUS_START = 9
const STATUS_END = 12
const FOLDED_LINE = /\r\n[ \t]+/g
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])
const LENGTH = /^\d{1,15}$/

/**
 * Reads the head of an answer (RFC 9112), without the empty line that ends it. Throws WireError EPROTO for what is no
 * head of HTTP/1.1, or leaves open where its body ends.
 */
export function readAnswerHead(text: string): AnswerHead {
  const plain = text.includes('\r\n ') || text.includes('\r\n\t') ? text.replaceAll(FOLDED_LINE, ' ') : text
  const status = Number(plain.slice(STATUS_START, STATUS_END))
  const minor = plain.charAt(MINOR_PLACE)
  if (!STATUS_LINE.test(plain)) throw new WireError('EPROTO', 'this is no answer of HTTP/1.1')
  const headers = new HeadersOfText(plain)
  const connection = headers.get('connection')?.toLowerCase() ?? ''
  return {
    status,
    headers,
    ...bodyOf(status, headers),
    keepsAlive: minor === '1' ? !connection.includes('close') : connection.includes('keep-alive'),
  }
}

function bodyOf(status: number, headers: AnswerHeaders): Pick<AnswerHead, 'bodyEnd' | 'length'> {
  if (status < 200 || WITHOUT_BODY.has(status)) return { bodyEnd: 'none', length: 0 }
  const coding = headers.get('transfer-encoding')?.toLowerCase()
  if (coding === 'chunked') return { bodyEnd: 'chunks', length: 0 }
  if (coding !== undefined) throw new WireError('EPROTO', 'the transfer coding is unknown')
  const text = headers.get('content-length')
  if (text === null) return { bodyEnd: 'close', length: 0 }
  const length = readLength(text)
  return { bodyEnd: length === 0 ? 'none' : 'length', length }
}

/** It may be said several times, if it is the same each time. */
function readLength(text: string): number {
  if (LENGTH.test(text)) return Number(text)
  const [first = '', ...others] = text.split(', ')
  if (!LENGTH.test(first) || others.some(other => other !== first))
    throw new WireError('EPROTO', 'the length of the answer cannot be read')
  return Number(first)
}

/** Most headers of an answer are never asked for, so each is looked for when it is. */
class HeadersOfText implements AnswerHeaders {
  private readonly text: string
  private readonly lower: string

  constructor(text: string) {
    this.text = text
    this.lower = text.toLowerCase()
  }

  get(name: string): string | null {
    const mark = `\r\n${name}:`
    let at = this.lower.indexOf(mark)
    if (at < 0) return null
    let value = this.valueAt(at + mark.length)
    for (at = this.lower.indexOf(mark, at + 2); at >= 0; at = this.lower.indexOf(mark, at + 2))
      value += `, ${this.valueAt(at + mark.length)}`
    return value
  }

  private valueAt(start: number): string {
    const end = this.text.indexOf('\r\n', start)
    return this.text.slice(start, end < 0 ? undefined : end).trim()
  }
}
