import { GatewayError } from '../../core/errors.ts'
import type { StreamEvent } from '../exchange.ts'
import type { Framer } from './framer.ts'
import { LINE_CHARS_MAX, openLines, withoutEnd } from './lines.ts'

const DATA = 'data:'
const NAME = 'event:'

/**
 * Server-sent events. A comment gives an event without data, so that whoever waits sees that the stream lives.
 * An event that the end of the bytes cuts off counts, since some vendors leave out the last blank line.
 * Source: html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function openSse(): Framer {
  const lines = openLines()
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
        `the answer has an event of more than ${LINE_CHARS_MAX} characters`,
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

/** One space after the colon belongs to the syntax; many vendors leave it out. */
function fieldValue(line: string, field: string): string {
  const value = withoutEnd(line)
  return value.slice(value.charAt(field.length) === ' ' ? field.length + 1 : field.length)
}
