import { crc32 } from 'node:zlib'
import { GatewayError } from '../../core/errors.ts'
import type { BothLanguages } from '../../core/language.ts'
import { MIB } from '../../core/limits.ts'
import type { Framing, StreamEvent } from '../contract/operation-adapter.ts'
import { checkJsonLimits } from '../json.ts'

/** Splits the bytes of one response into events, for any chunk boundaries. Create one per response. */
export interface Framer {
  /** The events that these bytes complete. Throws a GatewayError `upstream_bad_answer` beyond a limit. */
  push(bytes: Uint8Array): readonly StreamEvent[]
  /** The events that the end of the bytes completes. Call once. */
  end(): readonly StreamEvent[]
}

/** Creates a framer for the framing that an adapter names. */
export function createFramer(framing: Framing): Framer {
  const framer = FRAMERS[framing]()
  return { push: bytes => checked(framer.push(bytes)), end: () => checked(framer.end()) }
}

const checked = (events: readonly StreamEvent[]): readonly StreamEvent[] => {
  for (const { data } of events) checkJsonLimits(data)
  return events
}

/** The longest line of a stream. Images arrive as base64 in a single line of tens of megabytes. */
export const LINE_CHARS_MAX = 64 * MIB
/** The most lines of one event. Each costs as much as hundreds of characters. */
const EVENT_LINES_MAX = 10_000

const ANY_LINE_END = /\r\n|\n|\r(?!$)/g
const NONE: readonly string[] = []
const DECODE_MORE = { stream: true } as const

/** Splits bytes into lines including their line ends, for any chunk boundaries. */
export interface LineSplitter {
  /** The text of these bytes. Each text must be passed to `cut` unless `isBetweenLines` and it ends with a line. */
  decode(bytes: Uint8Array): string
  /** Nothing of an unfinished line is held. */
  isBetweenLines(): boolean
  /** The lines that a decoded text completes. Throws as `push`. */
  cut(text: string): readonly string[]
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
      throw broken({
        zh: `有一行超过 ${charsMax} 个字符`,
        en: `has a line of more than ${charsMax} characters`,
      })
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

  const decode = (bytes: Uint8Array): string => decoder.decode(bytes, DECODE_MORE)

  return {
    decode,
    isBetweenLines: () => held.length === 0,
    cut,
    push: bytes => cut(decode(bytes)),
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
 * the end of the bytes cuts off counts, since some providers omit the last blank line.
 * Source: html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
function createSseFramer(): Framer {
  const lines = createLineSplitter()
  let name: string | undefined
  let data: string | undefined
  let raw = ''
  let lineCount = 0

  const close = (): StreamEvent => {
    const event: StreamEvent = { name, data: data ?? '', raw }
    name = undefined
    data = undefined
    raw = ''
    lineCount = 0
    return event
  }

  const take = (line: string): void => {
    raw += line
    lineCount += 1
    if (lineCount > EVENT_LINES_MAX)
      throw broken({
        zh: `有事件超过 ${EVENT_LINES_MAX} 行`,
        en: `has an event of over ${EVENT_LINES_MAX} lines`,
      })
    if (raw.length > LINE_CHARS_MAX)
      throw broken({
        zh: `有事件超过 ${LINE_CHARS_MAX} 个字符`,
        en: `has an event of over ${LINE_CHARS_MAX} characters`,
      })
    if (line.startsWith(DATA)) {
      const value = fieldValue(line, DATA)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith(NAME)) name = fieldValue(line, NAME)
  }

  return {
    push(bytes) {
      const text = lines.decode(bytes)
      if (raw === '' && lines.isBetweenLines() && isSingleEvent(text))
        return [{ name: undefined, data: text.slice(DATA_SPACE.length, -SINGLE_EVENT_END.length), raw: text }]
      const events: StreamEvent[] = []
      for (const line of lines.cut(text)) {
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

const DATA_SPACE = 'data: '
const SINGLE_EVENT_END = '\n\n'

/** The shape of nearly all events of a stream: a line of data and the blank line, in bytes of their own. */
const isSingleEvent = (text: string): boolean =>
  text.startsWith(DATA_SPACE) &&
  text.indexOf('\n') === text.length - SINGLE_EVENT_END.length &&
  text.endsWith(SINGLE_EVENT_END) &&
  !text.includes('\r')

const isBlank = (line: string): boolean => line === '\n' || line === '\r\n' || line === '\r'

/** One space after the colon is part of the syntax; many providers omit it. */
function fieldValue(line: string, field: string): string {
  const value = stripLineEnd(line)
  return value.slice(value.charAt(field.length) === ' ' ? field.length + 1 : field.length)
}

/** One JSON document per line. A blank line is an event without data. */
function createNdjsonFramer(): Framer {
  const lines = createLineSplitter()
  const toEvent = (line: string): StreamEvent => ({ data: stripLineEnd(line), raw: line })
  return { push: bytes => lines.push(bytes).map(toEvent), end: () => lines.end().map(toEvent) }
}

/** The limit of the format itself. */
const MESSAGE_BYTES_MAX = 16 * MIB
const PRELUDE_BYTES = 12
const CRC_BYTES = 4
const TEXT_HEADER = 7

/**
 * Amazon's binary event stream. The name of an event is its `:event-type`, or its `:exception-type`; its data is the
 * payload as text. Throws a GatewayError `upstream_bad_answer` for a wrong checksum or a truncated message.
 * Source: smithy.io/2.0/aws/amazon-eventstream.html
 */
export function createAwsEventStreamFramer(): Framer {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let neededBytes = PRELUDE_BYTES
  return {
    push(bytes) {
      held.push(bytes)
      heldBytes += bytes.length
      if (heldBytes < neededBytes) return []
      const events: StreamEvent[] = []
      let rest = Buffer.concat(held)
      for (let size = sizeOfNext(rest); size <= rest.length; size = sizeOfNext(rest)) {
        events.push(readMessage(rest.subarray(0, size)))
        rest = rest.subarray(size)
      }
      held = [rest]
      heldBytes = rest.length
      neededBytes = sizeOfNext(rest)
      return events
    },
    end() {
      if (heldBytes > 0) throw broken({ zh: '在消息中间结束', en: 'ends inside a message' })
      return []
    },
  }
}

/** Size of the next message in bytes; that of its prelude until that is complete. */
function sizeOfNext(bytes: Buffer): number {
  if (bytes.length < PRELUDE_BYTES) return PRELUDE_BYTES
  const size = bytes.readUInt32BE(0)
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw broken(BROKEN_CHECKSUM)
  const least = PRELUDE_BYTES + bytes.readUInt32BE(4) + CRC_BYTES
  if (size < least || size > MESSAGE_BYTES_MAX)
    throw broken({ zh: `中有 ${size} 字节的消息`, en: `has a message of ${size} bytes` })
  return size
}

function readMessage(message: Buffer): StreamEvent {
  const end = message.length - CRC_BYTES
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) throw broken(BROKEN_CHECKSUM)
  const start = PRELUDE_BYTES + message.readUInt32BE(4)
  const headers = readHeaders(message.subarray(PRELUDE_BYTES, start))
  const name = headers.get(':exception-type') ?? headers.get(':event-type')
  return { name, data: message.toString('utf8', start, end), raw: '' }
}

/** Reads text headers up to the first header of another type. The ones in use come first and are text. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    if (nameEnd + 3 > bytes.length || bytes.readUInt8(nameEnd) !== TEXT_HEADER) break
    const valueStart = nameEnd + 3
    const valueEnd = valueStart + bytes.readUInt16BE(nameEnd + 1)
    headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueStart, valueEnd))
    at = valueEnd
  }
  return headers
}

const broken = ({ zh, en }: BothLanguages): GatewayError =>
  new GatewayError('upstream_bad_answer', {
    zh: `上游的流式响应${zh}`,
    en: `the upstream's stream ${en}`,
  })

const BROKEN_CHECKSUM = { zh: '校验和错误', en: 'has a broken checksum' }

const FRAMERS: Readonly<Record<Framing, () => Framer>> = {
  sse: createSseFramer,
  ndjson: createNdjsonFramer,
  'aws-event-stream': createAwsEventStreamFramer,
}
