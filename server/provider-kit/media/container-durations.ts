const HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8
/** Far more than any program writes; empty chunks would cost time without end. */
export const WAV_CHUNKS_MAX = 1_000

/**
 * Duration of a RIFF WAVE file in seconds, or undefined for any other file. Source: the RIFF specification, chunks
 * `fmt ` and `data`
 */
export function wavSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 0, 4) !== 'RIFF' || asciiAt(bytes, 8, 4) !== 'WAVE') return undefined
  const view = toDataView(bytes)
  let bytesPerSecond = 0
  let at = HEADER_BYTES
  for (let chunk = 0; chunk < WAV_CHUNKS_MAX && at + CHUNK_HEADER_BYTES <= bytes.length; chunk += 1) {
    const name = asciiAt(bytes, at, 4)
    const size = view.getUint32(at + 4, true)
    const start = at + CHUNK_HEADER_BYTES
    if (name === 'fmt ' && start + 12 <= bytes.length) bytesPerSecond = view.getUint32(start + 8, true)
    if (name === 'data' && bytesPerSecond > 0) return Math.min(size, bytes.length - start) / bytesPerSecond
    at = start + size + (size % 2)
  }
  return undefined
}

const STREAM_INFO_END = 26

/**
 * Duration of a FLAC file in seconds, or undefined for other files and for a stream without a sample count. Source:
 * RFC 9639, section 8.2
 */
export function flacSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 0, 4) !== 'fLaC' || bytes.length < STREAM_INFO_END) return undefined
  const view = toDataView(bytes)
  const samplesPerSecond = view.getUint32(18) >>> 12
  const samples = (view.getUint8(21) & 0x0f) * 2 ** 32 + view.getUint32(22)
  return samples > 0 ? samples / samplesPerSecond : undefined
}

/** Opus positions count 48,000 samples per second at every recording rate. */
const OPUS_SAMPLES_PER_SECOND = 48_000
const PAGE_HEADER_BYTES = 27
/** A page has at most 65,307 bytes, so the last page starts within this distance of the end. */
const LAST_PAGE_BYTES = 65_307
const UNKNOWN_POSITION = 0xffff_ffff_ffff_ffffn

/**
 * Duration of an Opus or Vorbis file in Ogg in seconds, from the position of its last page. Undefined for any other
 * file. Source: RFC 3533, RFC 7845
 */
export function oggSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 0, 4) !== 'OggS') return undefined
  const rate = samplesPerSecond(bytes)
  const last = lastPage(bytes)
  if (rate === undefined || last === undefined) return undefined
  const position = toDataView(bytes).getBigUint64(last + 6, true)
  return position === UNKNOWN_POSITION ? undefined : Number(position) / rate
}

function samplesPerSecond(bytes: Uint8Array): number | undefined {
  const first = PAGE_HEADER_BYTES + (bytes[26] ?? 0)
  if (asciiAt(bytes, first, 8) === 'OpusHead') return OPUS_SAMPLES_PER_SECOND
  const isVorbis = asciiAt(bytes, first, 7) === '\x01vorbis' && first + 16 <= bytes.length
  return isVorbis ? toDataView(bytes).getUint32(first + 12, true) : undefined
}

function lastPage(bytes: Uint8Array): number | undefined {
  const from = Math.max(0, bytes.length - LAST_PAGE_BYTES)
  for (let at = bytes.length - PAGE_HEADER_BYTES; at >= from; at -= 1)
    if (bytes[at] === 0x4f && asciiAt(bytes, at, 4) === 'OggS') return at
  return undefined
}

const BOX_HEADER_BYTES = 8
const LARGE_SIZE = 1
const VERSION_WITH_LONG_TIMES = 1

/**
 * Duration of an MP4, M4A or QuickTime file in seconds, from the box `mvhd` inside `moov`. Undefined for any other
 * file. Source: ISO/IEC 14496-12
 */
export function mp4Seconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 4, 4) !== 'ftyp') return undefined
  const movie = findBox(bytes, 'moov', 0, bytes.length)
  const header = movie && findBox(bytes, 'mvhd', movie.start, movie.end)
  if (!header || header.end - header.start < 32) return undefined
  const view = toDataView(bytes)
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
  const view = toDataView(bytes)
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

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const SCALE_DEFAULT = 1_000_000
const NANOSECONDS_PER_SECOND = 1e9
/** File information is at the beginning, so a bounded scan is enough. */
const ELEMENTS_MAX = 64

interface Element {
  readonly id: number
  readonly start: number
  readonly end: number
}

/**
 * Duration of a WebM or Matroska file in seconds. Undefined for any other file and for a browser recording without a
 * duration. Source: RFC 9559
 */
export function webmSeconds(bytes: Uint8Array): number | undefined {
  if (bytes.length < 4 || toDataView(bytes).getUint32(0) !== EBML) return undefined
  const segment = readElements(bytes, 0, bytes.length).find(({ id }) => id === SEGMENT)
  const info = segment && readElements(bytes, segment.start, segment.end).find(({ id }) => id === INFO)
  if (!info) return undefined
  const infoElements = readElements(bytes, info.start, info.end)
  const scale = infoElements.find(({ id }) => id === TIMESTAMP_SCALE)
  const duration = infoElements.find(({ id }) => id === DURATION)
  const units = duration && readFloat(bytes, duration)
  return units === undefined
    ? undefined
    : (units * (scale ? readUnsigned(bytes, scale) : SCALE_DEFAULT)) / NANOSECONDS_PER_SECOND
}

function readElements(bytes: Uint8Array, from: number, to: number): readonly Element[] {
  const found: Element[] = []
  for (let at = from; at < to && found.length < ELEMENTS_MAX; ) {
    const id = readNumber(bytes, at, false)
    const size = id && readNumber(bytes, at + id.length, true)
    if (!id || !size) break
    const start = at + id.length + size.length
    const end = size.isOpen ? to : Math.min(start + size.value, to)
    found.push({ id: id.value, start, end })
    at = end
  }
  return found
}

/**
 * Reads a variable-length number, whose first byte gives its length. A size of all ones is open-ended: the element
 * runs to the end.
 */
export function readNumber(bytes: Uint8Array, at: number, isSize: boolean) {
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

function readFloat(bytes: Uint8Array, { start, end }: Element): number | undefined {
  if (end - start === 4) return toDataView(bytes).getFloat32(start)
  return end - start === 8 ? toDataView(bytes).getFloat64(start) : undefined
}

const readUnsigned = (bytes: Uint8Array, { start, end }: Element): number =>
  bytes.subarray(start, Math.min(end, start + 6)).reduce((value, byte) => value * 256 + byte, 0)

/** A view of exactly these bytes, which may be part of a larger buffer. */
export const toDataView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Decodes `length` bytes as text, one character per byte. Shorter at the end of the file. */
export const asciiAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))
