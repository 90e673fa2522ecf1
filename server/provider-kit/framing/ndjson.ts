import type { StreamEvent } from '../exchange.ts'
import type { Framer } from './framer.ts'
import { openLines, withoutEnd } from './lines.ts'

/** One JSON document a line. A blank line is an event without data. */
export function openNdjson(): Framer {
  const lines = openLines()
  const toEvent = (line: string): StreamEvent => ({ data: withoutEnd(line), raw: line })
  return { push: bytes => lines.push(bytes).map(toEvent), end: () => lines.end().map(toEvent) }
}
