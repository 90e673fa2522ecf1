import { asciiAt, toDataView } from './container-durations.ts'

const TAG_HEADER_BYTES = 10
/** How far after a tag the first frame may be. */
const SEARCH_BYTES_MAX = 65_536
/** Kilobits per second of layer III by header index, for MPEG 1 and for MPEG 2 and 2.5. */
const KILOBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KILOBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const SAMPLES_PER_SECOND = [44_100, 48_000, 32_000]
const MPEG_1 = 3
const MPEG_2 = 2
const FRAME_COUNT_FLAG = 1

interface Mp3Frame {
  readonly at: number
  readonly bytesPerSecond: number
  readonly samplesPerSecond: number
  readonly samples: number
  /** Size of the frame with its header. */
  readonly bytes: number
}

/**
 * Duration of an MP3 file in seconds: from the frame count of a Xing or VBRI header where there is one, else from
 * size and bit rate. Undefined when no frame is found. Source: ISO/IEC 11172-3, section 2.4; the Xing and VBRI
 * headers
 */
export function mp3Seconds(bytes: Uint8Array): number | undefined {
  const from = tagBytes(bytes)
  const to = Math.min(from + SEARCH_BYTES_MAX, bytes.length - 4)
  const view = toDataView(bytes)
  for (let at = from; at < to; at += 1) {
    const frame = bytes[at] === 0xff ? readFrame(view, at) : undefined
    if (frame) return secondsFrom(bytes, frame)
  }
  return undefined
}

/** Bytes between frames that are searched in all; more of them would cost too much time. */
const LOST_BYTES_MAX = 1_048_576
/** For audio that cannot be measured: the rate of speech. */
const LOST_BYTES_PER_SECOND = 4_000

/** Sums all frames of an MP3 file, not its headers. Undefined when there is none. */
export function mp3FrameSeconds(bytes: Uint8Array): number | undefined {
  const view = toDataView(bytes)
  let seconds = 0
  let lost = 0
  let at = Math.min(tagBytes(bytes), bytes.length)
  while (at + 4 <= bytes.length && lost < LOST_BYTES_MAX) {
    const frame = bytes[at] === 0xff ? readFrame(view, at) : undefined
    if (frame) seconds += frame.samples / frame.samplesPerSecond
    else lost += 1
    at += frame?.bytes ?? 1
    if (seconds === 0 && lost > SEARCH_BYTES_MAX) return undefined
  }
  if (seconds === 0) return undefined
  return seconds + (bytes.length - at) / LOST_BYTES_PER_SECOND
}

function secondsFrom(bytes: Uint8Array, frame: Mp3Frame): number {
  const frames = countedFrames(bytes, frame.at)
  return frames > 0
    ? (frames * frame.samples) / frame.samplesPerSecond
    : (bytes.length - frame.at) / frame.bytesPerSecond
}

/** Size of an ID3 tag before the audio. The size field holds seven bits per byte. */
function tagBytes(bytes: Uint8Array): number {
  if (asciiAt(bytes, 0, 3) !== 'ID3') return 0
  return (
    bytes.subarray(6, TAG_HEADER_BYTES).reduce((size, byte) => size * 128 + (byte & 0x7f), 0) +
    TAG_HEADER_BYTES
  )
}

function readFrame(view: DataView, at: number): Mp3Frame | undefined {
  const header = view.getUint32(at)
  const version = (header >>> 19) & 3
  const isLayer3 = header >>> 21 === 0x7ff && version !== 1 && ((header >>> 17) & 3) === 1
  const kilobits = (version === MPEG_1 ? KILOBITS_1 : KILOBITS_2)[(header >>> 12) & 15]
  const rate = SAMPLES_PER_SECOND[(header >>> 10) & 3]
  if (!isLayer3 || !kilobits || !rate) return undefined
  const samplesPerSecond = version === MPEG_1 ? rate : version === MPEG_2 ? rate / 2 : rate / 4
  const bytesPerSecond = (kilobits * 1000) / 8
  const samples = version === MPEG_1 ? 1152 : 576
  const padding = (header >>> 9) & 1
  const bytes = Math.floor((samples * bytesPerSecond) / samplesPerSecond) + padding
  return { at, bytesPerSecond, samplesPerSecond, samples, bytes }
}

/** Frame count that a file with a variable bit rate states in its first frame. 0 where it does not. */
function countedFrames(bytes: Uint8Array, at: number): number {
  const view = toDataView(bytes)
  for (const offset of [13, 21, 36]) {
    const name = asciiAt(bytes, at + offset, 4)
    const isCounted = (name === 'Xing' || name === 'Info') && at + offset + 12 <= bytes.length
    if (isCounted && view.getUint32(at + offset + 4) & FRAME_COUNT_FLAG)
      return view.getUint32(at + offset + 8)
    if (name === 'VBRI' && at + offset + 18 <= bytes.length) return view.getUint32(at + offset + 14)
  }
  return 0
}
