import { asciiAt, toDataView, WAV_CHUNKS_MAX } from './container-durations.ts'

/*
 * Durations measured frame by frame, as a decoder plays them: headers that state a duration are written by whoever uploads
 * the file. Each reader returns undefined for another format.
 */

/** PCM, float, A-law, µ-law and extensible: formats whose bits per sample a decoder takes from the header. */
const SAMPLED_FORMATS: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe])
/** The highest rate of speech codecs inside WAVE files. */
const CODEC_BYTES_PER_SECOND = 8_000
const RIFF_HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8
const FORMAT_BYTES = 16

/** All bytes after the head of the data count, not the declared size. Source: the RIFF specification */
export function wavFrameSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 0, 4) !== 'RIFF' || asciiAt(bytes, 8, 4) !== 'WAVE') return undefined
  const view = toDataView(bytes)
  let bytesPerSecond = CODEC_BYTES_PER_SECOND
  let at = RIFF_HEADER_BYTES
  for (let chunk = 0; chunk < WAV_CHUNKS_MAX && at + CHUNK_HEADER_BYTES <= bytes.length; chunk += 1) {
    const name = asciiAt(bytes, at, 4)
    const start = at + CHUNK_HEADER_BYTES
    if (name === 'data') return (bytes.length - start) / bytesPerSecond
    if (name === 'fmt ' && start + FORMAT_BYTES <= bytes.length) bytesPerSecond = sampledRate(view, start)
    const size = view.getUint32(at + 4, true)
    at = start + size + (size % 2)
  }
  return undefined
}

function sampledRate(view: DataView, start: number): number {
  const stated = view.getUint32(start + 8, true) || CODEC_BYTES_PER_SECOND
  if (!SAMPLED_FORMATS.has(view.getUint16(start, true))) return Math.min(stated, CODEC_BYTES_PER_SECOND)
  const channels = view.getUint16(start + 2, true)
  const rate = view.getUint32(start + 4, true)
  const bits = view.getUint16(start + 14, true)
  return (channels * rate * bits) / 8 || CODEC_BYTES_PER_SECOND
}

const FLAC_RATES = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
] as const
/** Of rates that follow the header: kilohertz, hertz, tens of hertz. */
const FLAC_RATE_UNITS = [1_000, 1, 10] as const
/** False frames; more of them than in any real file would cost too much time. */
const FALSE_FRAMES_MAX = 100_000
const STREAM_INFO_BYTES = 26

/** Sums the blocks of all frames, found by their sync code and the checksum of their header. Source: RFC 9639 */
export function flacFrameSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 0, 4) !== 'fLaC' || bytes.length < STREAM_INFO_BYTES) return undefined
  const streamRate = toDataView(bytes).getUint32(18) >>> 12
  let seconds = 0
  let falseFrames = 0
  for (let at = 4; at < bytes.length; at += 1) {
    if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xfe) !== 0xf8) continue
    const frame = readFlacFrame(bytes, at)
    if (frame) seconds += frame.samples / (frame.rate || streamRate || 1)
    else if (++falseFrames > FALSE_FRAMES_MAX) return undefined
  }
  return seconds
}

function readFlacFrame(bytes: Uint8Array, at: number) {
  const codes = bytes[at + 2] ?? 0
  const size = readFlacSize(bytes, at + 4 + codedNumberBytes(bytes[at + 4] ?? 0), codes >> 4)
  const rate = readFlacRate(bytes, size.end, codes & 15)
  const isFrame = size.value > 0 && crc8(bytes, at, rate.end) === bytes[rate.end]
  return isFrame ? { samples: size.value, rate: rate.value } : undefined
}

/** A field of a frame header, and where the next one begins. */
interface FrameField {
  readonly value: number
  readonly end: number
}

function readFlacSize(bytes: Uint8Array, at: number, code: number): FrameField {
  if (code !== 6 && code !== 7) return { value: blockSize(code), end: at }
  const count = code - 5
  return { value: readBytes(bytes, at, count) + 1, end: at + count }
}

function readFlacRate(bytes: Uint8Array, at: number, code: number): FrameField {
  if (code < 12) return { value: FLAC_RATES[code] ?? 0, end: at }
  const count = code === 12 ? 1 : 2
  return { value: readBytes(bytes, at, count) * (FLAC_RATE_UNITS[code - 12] ?? 0), end: at + count }
}

const blockSize = (code: number): number =>
  code === 1 ? 192 : code < 6 ? 576 * 2 ** (code - 2) : 256 * 2 ** (code - 8)

/** The frame number is coded like a character of UTF-8. */
const codedNumberBytes = (first: number): number =>
  first < 0x80 ? 1 : Math.max(Math.clz32(~(first << 24)), 1)

const readBytes = (bytes: Uint8Array, at: number, count: number): number =>
  count === 1 ? (bytes[at] ?? 0) : (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)

function crc8(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0
  for (let at = from; at < to; at += 1) {
    crc ^= bytes[at] ?? 0
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1) & 0xff
  }
  return crc
}

const PAGE_HEADER_BYTES = 27
const CONTINUED = 1
const LACE_MAX = 255

/** Sums the packets of an Opus file by their first byte. Source: RFC 3533, RFC 6716 section 3.1 */
export function opusFrameSeconds(bytes: Uint8Array): number | undefined {
  const first = PAGE_HEADER_BYTES + (bytes[26] ?? 0)
  if (asciiAt(bytes, 0, 4) !== 'OggS' || asciiAt(bytes, first, 8) !== 'OpusHead') return undefined
  let seconds = 0
  for (let at = 0; at + PAGE_HEADER_BYTES <= bytes.length && asciiAt(bytes, at, 4) === 'OggS'; ) {
    const page = readOpusPage(bytes, at)
    seconds += page.seconds
    at = page.end
  }
  return seconds
}

/** The packets that begin on a page. Those that begin with `Opus` are headers. */
function readOpusPage(bytes: Uint8Array, at: number): { readonly seconds: number; readonly end: number } {
  const laces = bytes.subarray(at + PAGE_HEADER_BYTES, at + PAGE_HEADER_BYTES + (bytes[at + 26] ?? 0))
  let isStart = ((bytes[at + 5] ?? 0) & CONTINUED) === 0
  let end = at + PAGE_HEADER_BYTES + laces.length
  let seconds = 0
  for (const lace of laces) {
    if (isStart && asciiAt(bytes, end, 4) !== 'Opus') seconds += opusPacketSeconds(bytes, end)
    end += lace
    isStart = lace < LACE_MAX
  }
  return { seconds, end }
}

const SILK_MS = [10, 20, 40, 60]
const HYBRID_MS = [10, 20]
const CELT_MS = [2.5, 5, 10, 20]

/** The first byte gives the length of a frame and the number of frames. */
export function opusPacketSeconds(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  const config = first >> 3
  const ms = config < 12 ? SILK_MS[config % 4] : config < 16 ? HYBRID_MS[config % 2] : CELT_MS[config % 4]
  const code = first & 3
  const frames = code === 0 ? 1 : code < 3 ? 2 : (bytes[at + 1] ?? 0) & 63
  return ((ms ?? 0) * frames) / 1_000
}
