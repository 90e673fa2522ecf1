import { asciiAt, viewOf } from './bytes.ts'

const BOX_HEADER_BYTES = 8
const LARGE_SIZE = 1
const VERSION_WITH_LONG_TIMES = 1

/** Of MP4, M4A and QuickTime, by the box `mvhd` inside `moov`. Undefined for any other file. Source: ISO/IEC 14496-12 */
export function mp4Seconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 4, 4) !== 'ftyp') return undefined
  const movie = findBox(bytes, 'moov', 0, bytes.length)
  const header = movie && findBox(bytes, 'mvhd', movie.start, movie.end)
  if (!header || header.end - header.start < 32) return undefined
  const view = viewOf(bytes)
  const { start } = header
  const isLong = view.getUint8(start) === VERSION_WITH_LONG_TIMES
  const timescale = view.getUint32(start + (isLong ? 20 : 12))
  const duration = isLong ? Number(view.getBigUint64(start + 24)) : view.getUint32(start + 16)
  return timescale > 0 ? duration / timescale : undefined
}

interface Span {
  readonly start: number
  readonly end: number
}

function findBox(bytes: Uint8Array, name: string, from: number, to: number): Span | undefined {
  const view = viewOf(bytes)
  for (let at = from; at + BOX_HEADER_BYTES <= to; ) {
    const size = view.getUint32(at)
    const isLarge = size === LARGE_SIZE && at + BOX_HEADER_BYTES * 2 <= to
    const length = isLarge ? Number(view.getBigUint64(at + BOX_HEADER_BYTES)) : size || to - at
    const start = at + (isLarge ? BOX_HEADER_BYTES * 2 : BOX_HEADER_BYTES)
    if (asciiAt(bytes, at + 4, 4) === name) return { start, end: Math.min(at + length, to) }
    if (length < BOX_HEADER_BYTES) return undefined
    at += length
  }
  return undefined
}
