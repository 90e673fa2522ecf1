import { viewOf } from './bytes.ts'

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const SCALE_DEFAULT = 1_000_000
const NANOSECONDS_PER_SECOND = 1e9
/** The information about a file stands at its beginning. */
const ELEMENTS_MAX = 64

interface Element {
  readonly id: number
  readonly start: number
  readonly end: number
}

/** Of WebM and Matroska. Undefined for any other file, and where a recording in a browser left it open. Source: RFC 9559 */
export function webmSeconds(bytes: Uint8Array): number | undefined {
  if (bytes.length < 4 || viewOf(bytes).getUint32(0) !== EBML) return undefined
  const segment = elementsIn(bytes, 0, bytes.length).find(({ id }) => id === SEGMENT)
  const info = segment && elementsIn(bytes, segment.start, segment.end).find(({ id }) => id === INFO)
  if (!info) return undefined
  const inside = elementsIn(bytes, info.start, info.end)
  const scale = inside.find(({ id }) => id === TIMESTAMP_SCALE)
  const duration = inside.find(({ id }) => id === DURATION)
  const units = duration && floatIn(bytes, duration)
  return units === undefined
    ? undefined
    : (units * (scale ? wholeIn(bytes, scale) : SCALE_DEFAULT)) / NANOSECONDS_PER_SECOND
}

function elementsIn(bytes: Uint8Array, from: number, to: number): readonly Element[] {
  const found: Element[] = []
  for (let at = from; at < to && found.length < ELEMENTS_MAX; ) {
    const id = numberAt(bytes, at, false)
    const size = id && numberAt(bytes, at + id.length, true)
    if (!id || !size) break
    const start = at + id.length + size.length
    const end = size.isOpen ? to : Math.min(start + size.value, to)
    found.push({ id: id.value, start, end })
    at = end
  }
  return found
}

/** A number whose first byte says how long it is. A size of all ones is open: the element goes on to the end. */
function numberAt(bytes: Uint8Array, at: number, isSize: boolean) {
  const first = bytes[at]
  if (first === undefined || first === 0) return undefined
  const length = Math.clz32(first) - 23
  let value = isSize ? first & (0xff >> length) : first
  let isOpen = isSize && value === 0xff >> length
  for (const byte of bytes.subarray(at + 1, at + length)) {
    value = value * 256 + byte
    isOpen = isOpen && byte === 0xff
  }
  return { value, length, isOpen }
}

function floatIn(bytes: Uint8Array, { start, end }: Element): number | undefined {
  if (end - start === 4) return viewOf(bytes).getFloat32(start)
  return end - start === 8 ? viewOf(bytes).getFloat64(start) : undefined
}

const wholeIn = (bytes: Uint8Array, { start, end }: Element): number =>
  bytes.subarray(start, Math.min(end, start + 6)).reduce((value, byte) => value * 256 + byte, 0)
