import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import type { StreamEvent } from '../contract/operation-adapter.ts'

/** Splits the bytes of one response into events, whatever the chunk boundaries. Create one per response. */
export interface Framer {
  /** The events that these bytes complete. Throws a GatewayError `upstream_bad_answer` beyond the line limit. */
  push(bytes: Uint8Array): readonly StreamEvent[]
  /** The events that the end of the bytes completes. Call once. */
  end(): readonly StreamEvent[]
}

/** The longest line of a stream. Images arrive as base64 in a single line of tens of megabytes. */
export const LINE_CHARS_MAX = 64 * MIB

const ANY_LINE_END = /\r\n|\n|\r(?!$)/g
const NONE: readonly string[] = []

/** Splits bytes into lines including their line ends, whatever the chunk boundaries. */
export interface LineSplitter {
  /** The lines that these bytes complete. Throws a GatewayError `upstream_bad_answer` for a line beyond the limit. */
  push(bytes: Uint8Array): readonly string[]
  /** The rest, as a last line that may lack its line end. */
  end(): readonly string[]
}

/** Creates a splitter for one response. `charsMax` limits the length of a line. */
export function createLineSplitter(charsMax = LINE_CHARS_MAX): LineSplitter {
  const decoder = new TextDecoder()
  let held: string[] = []
  let heldChars = 0
  let isHeldAfterCr = false

  const hold = (text: string): void => {
    if (text === '') return
    held.push(text)
    heldChars += text.length
    isHeldAfterCr = text.endsWith('\r')
    if (heldChars > charsMax)
      throw new GatewayError(
        'upstream_bad_answer',
        `the response has a line of more than ${charsMax} characters`,
      )
  }

  const release = (text: string): string => {
    if (held.length === 0) return text
    const joined = held.join('') + text
    held = []
    heldChars = 0
    isHeldAfterCr = false
    return joined
  }

  const cut = (text: string): readonly string[] => {
    const hasCr = isHeldAfterCr || text.includes('\r')
    if (!hasCr && !text.includes('\n')) {
      hold(text)
      return NONE
    }
    const joined = release(text)
    const lines = hasCr ? cutAtAnyEnd(joined) : cutAtLf(joined)
    hold(lines.pop() ?? '')
    return lines
  }

  return {
    push: bytes => cut(decoder.decode(bytes, { stream: true })),
    end() {
      const rest = release(decoder.decode())
      return rest === '' ? NONE : [rest]
    },
  }
}

/** Splits at LF. The last element is the text after the last line end. */
function cutAtLf(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    lines.push(text.slice(start, end + 1))
    start = end + 1
  }
  lines.push(text.slice(start))
  return lines
}

/** Splits at LF, CRLF and CR. A CR at the very end stays in the rest, since an LF may follow. */
function cutAtAnyEnd(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (const match of text.matchAll(ANY_LINE_END)) {
    const end = match.index + match[0].length
    lines.push(text.slice(start, end))
    start = end
  }
  lines.push(text.slice(start))
  return lines
}

/** A line without its line end. */
export function stripLineEnd(line: string): string {
  if (line.endsWith('\r\n')) return line.slice(0, -2)
  return line.endsWith('\n') || line.endsWith('\r') ? line.slice(0, -1) : line
}

const DATA = 'data:'
const NAME = 'event:'

/**
 * Server-sent events. A comment becomes an event without data, which shows that the stream is alive. An event that
 * the end of the bytes cuts off counts, since some vendors omit the last blank line.
 * Source: html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function createSseFramer(): Framer {
  const lines = createLineSplitter()
  let name: string | undefined
  let data: string | undefined
  let raw = ''

  const close = (): StreamEvent => {
    const event: StreamEvent = { name, data: data ?? '', raw }
    name = undefined
    data = undefined
    raw = ''
    return event
  }

  const take = (line: string): void => {
    raw += line
    if (raw.length > LINE_CHARS_MAX)
      throw new GatewayError(
        'upstream_bad_answer',
        `the response has an event of more than ${LINE_CHARS_MAX} characters`,
      )
    if (line.startsWith(DATA)) {
      const value = fieldValue(line, DATA)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith(NAME)) name = fieldValue(line, NAME)
  }

  return {
    push(bytes) {
      const events: StreamEvent[] = []
      for (const line of lines.push(bytes)) {
        take(line)
        if (isBlank(line)) events.push(close())
      }
      return events
    },
    end() {
      const events: StreamEvent[] = []
      for (const line of lines.end()) {
        take(line)
        if (isBlank(line)) events.push(close())
      }
      return raw === '' ? events : [...events, close()]
    },
  }
}

const isBlank = (line: string): boolean => line === '\n' || line === '\r\n' || line === '\r'

/** One space after the colon is part of the syntax; many vendors omit it. */
function fieldValue(line: string, field: string): string {
  const value = stripLineEnd(line)
  return value.slice(value.charAt(field.length) === ' ' ? field.length + 1 : field.length)
}

/** One JSON document per line. A blank line is an event without data. */
export function createNdjsonFramer(): Framer {
  const lines = createLineSplitter()
  const toEvent = (line: string): StreamEvent => ({ data: stripLineEnd(line), raw: line })
  return { push: bytes => lines.push(bytes).map(toEvent), end: () => lines.end().map(toEvent) }
}
