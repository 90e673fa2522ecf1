import { asciiAt, viewOf } from './bytes.ts'

/** Opus counts in 48,000 to the second whatever was recorded. */
const OPUS_SAMPLES_PER_SECOND = 48_000
const PAGE_HEADER_BYTES = 27
/** A page is at most 65,307 bytes long, so the last one begins in here. */
const LAST_PAGE_BYTES = 65_307
const UNKNOWN_POSITION = 0xffff_ffff_ffff_ffffn

/** By the position at the last page. Undefined when it is no Ogg file of Opus or Vorbis. Source: RFC 3533, RFC 7845 */
export function oggSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 0, 4) !== 'OggS') return undefined
  const rate = samplesPerSecond(bytes)
  const last = lastPage(bytes)
  if (rate === undefined || last === undefined) return undefined
  const position = viewOf(bytes).getBigUint64(last + 6, true)
  return position === UNKNOWN_POSITION ? undefined : Number(position) / rate
}

function samplesPerSecond(bytes: Uint8Array): number | undefined {
  const first = PAGE_HEADER_BYTES + (bytes[26] ?? 0)
  if (asciiAt(bytes, first, 8) === 'OpusHead') return OPUS_SAMPLES_PER_SECOND
  const isVorbis = asciiAt(bytes, first, 7) === '\x01vorbis' && first + 16 <= bytes.length
  return isVorbis ? viewOf(bytes).getUint32(first + 12, true) : undefined
}

function lastPage(bytes: Uint8Array): number | undefined {
  const from = Math.max(0, bytes.length - LAST_PAGE_BYTES)
  for (let at = bytes.length - PAGE_HEADER_BYTES; at >= from; at -= 1)
    if (bytes[at] === 0x4f && asciiAt(bytes, at, 4) === 'OggS') return at
  return undefined
}
