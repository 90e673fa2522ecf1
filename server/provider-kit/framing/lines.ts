import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'

/** The longest line of a stream. Pictures arrive as base64 in one line of tens of megabytes. */
export const LINE_CHARS_MAX = 64 * MIB

const ANY_LINE_END = /\r\n|\n|\r(?!$)/g
const NONE: readonly string[] = []

/** Cuts bytes into lines, each with its line end, however the bytes were cut on their way. */
export interface LineCutter {
  /** The lines that these bytes complete. Throws a GatewayError `upstream_bad_answer` for a line beyond the limit. */
  push(bytes: Uint8Array): readonly string[]
  /** What was left, as a last line that may lack its end. */
  end(): readonly string[]
}

export function openLines(charsMax = LINE_CHARS_MAX): LineCutter {
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
        `the answer has a line of more than ${charsMax} characters`,
      )
  }

  const release = (text: string): string => {
    if (held.length === 0) return text
    const whole = held.join('') + text
    held = []
    heldChars = 0
    isHeldAfterCr = false
    return whole
  }

  const cut = (text: string): readonly string[] => {
    const hasCr = isHeldAfterCr || text.includes('\r')
    if (!hasCr && !text.includes('\n')) {
      hold(text)
      return NONE
    }
    const whole = release(text)
    const lines = hasCr ? cutAtAnyEnd(whole) : cutAtLf(whole)
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

/** The last piece is what follows the last line end. */
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

/** As `cutAtLf`, for LF, CRLF and CR. A CR at the very end is left to the rest: an LF may follow. */
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
export function withoutEnd(line: string): string {
  if (line.endsWith('\r\n')) return line.slice(0, -2)
  return line.endsWith('\n') || line.endsWith('\r') ? line.slice(0, -1) : line
}
