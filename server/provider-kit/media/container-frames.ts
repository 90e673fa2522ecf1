import { asciiAt, readNumber, toDataView } from './container-durations.ts'
import { opusPacketSeconds } from './frame-durations.ts'

/** Boxes or elements of one file; more of them would cost too much time. */
const PARTS_MAX = 2_000_000
const BOX_HEADER_BYTES = 8
const LARGE_SIZE = 1
/** The fields of a box that are read here. */
const BOX_FIELDS_BYTES = 12
/** Boxes that contain those of audio tracks, complete or in fragments. */
const PARENTS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf'])
/** A frame of AAC has 1,024 samples, at hardly more than 48,000 per second. */
const SECONDS_PER_AAC_FRAME = 1_024 / 48_000

/**
 * Counts the frames of the audio tracks of an MP4 or QuickTime file: the played ones, independent of the stated duration. Undefined
 * for any other file. Source: ISO/IEC 14496-12
 */
export function mp4FrameSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 4, 4) !== 'ftyp') return undefined
  const view = toDataView(bytes)
  let frames = 0
  let isAudio = true
  for (const { name, start } of listBoxes(bytes, view))
    if (name === 'hdlr') isAudio = asciiAt(bytes, start + 8, 4) === 'soun'
    else if (name === 'moof') isAudio = true
    else if (isAudio) frames += frameCount(view, name, start)
  // A frame has at least one byte.
  return Math.min(frames, bytes.length) * SECONDS_PER_AAC_FRAME
}

/** The samples that a table or a run of a fragment lists. */
function frameCount(view: DataView, name: string, start: number): number {
  if (name === 'stsz') return view.getUint32(start + 8)
  return name === 'trun' ? view.getUint32(start + 4) : 0
}

/** Boxes in the order of the file, those inside others included. `start`: of their content. */
function* listBoxes(bytes: Uint8Array, view: DataView) {
  let at = 0
  for (let part = 0; part < PARTS_MAX && at + BOX_HEADER_BYTES <= bytes.length; part += 1) {
    const size = view.getUint32(at)
    const name = asciiAt(bytes, at + 4, 4)
    const start = at + (size === LARGE_SIZE ? BOX_HEADER_BYTES * 2 : BOX_HEADER_BYTES)
    if (start + BOX_FIELDS_BYTES > bytes.length) return
    yield { name, start }
    at = PARENTS.has(name) ? start : at + boxLength(view, at, size)
  }
}

/** A box of size 0 goes on to the end of the file. */
function boxLength(view: DataView, at: number, size: number): number {
  if (size === LARGE_SIZE) return Math.max(Number(view.getBigUint64(at + BOX_HEADER_BYTES)), BOX_HEADER_BYTES)
  return size === 0 ? view.byteLength : Math.max(size, BOX_HEADER_BYTES)
}

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const CLUSTER = 0x1f43b675
const BLOCK_GROUP = 0xa0
const TRACKS = 0x1654ae6b
const TRACK_ENTRY = 0xae
const MASTERS: ReadonlySet<number> = new Set([SEGMENT, CLUSTER, BLOCK_GROUP, TRACKS, TRACK_ENTRY])
const TRACK_NUMBER = 0xd7
const CODEC_ID = 0x86
const BLOCKS: ReadonlySet<number> = new Set([0xa1, 0xa3])
const LACED = 0x06
/** After the number of the track: a time and flags. */
const BLOCK_HEADER_BYTES = 3

/**
 * Sums the Opus packets of a WebM file, as browsers record them. Undefined for any other file. Source: RFC 9559, section
 * 10
 */
export function webmFrameSeconds(bytes: Uint8Array): number | undefined {
  if (bytes.length < 4 || toDataView(bytes).getUint32(0) !== EBML) return undefined
  const opusTracks = new Set<number>()
  let track = 0
  let seconds = 0
  for (const { id, start } of listElements(bytes))
    if (id === TRACK_NUMBER) track = bytes[start] ?? 0
    else if (id === CODEC_ID && asciiAt(bytes, start, 6) === 'A_OPUS') opusTracks.add(track)
    else if (BLOCKS.has(id)) seconds += blockSeconds(bytes, start, opusTracks)
  return seconds
}

/** Elements in the order of the file, those inside masters included. `start`: of their content. */
function* listElements(bytes: Uint8Array) {
  let at = 0
  for (let part = 0; part < PARTS_MAX; part += 1) {
    const id = readNumber(bytes, at, false)
    const size = id && readNumber(bytes, at + id.length, true)
    if (!id || !size) return
    const start = at + id.length + size.length
    yield { id: id.value, start }
    at = MASTERS.has(id.value) ? start : start + size.value
  }
}

function blockSeconds(bytes: Uint8Array, start: number, opusTracks: ReadonlySet<number>): number {
  const track = readNumber(bytes, start, true)
  if (!track || !opusTracks.has(track.value)) return 0
  const flags = bytes[start + track.length + 2] ?? 0
  const data = start + track.length + BLOCK_HEADER_BYTES
  if ((flags & LACED) === 0) return opusPacketSeconds(bytes, data)
  // Laced packets are of one length; the first byte is their number without one.
  const packets = (bytes[data] ?? 0) + 1
  return packets * LACED_PACKET_SECONDS
}

/** The longest that browsers and encoders put into a block with others. */
const LACED_PACKET_SECONDS = 0.06
