import { asciiAt, viewOf } from './bytes.ts'

const STREAM_INFO_END = 26

/** Undefined when it is no FLAC file, or one that does not count its samples. Source: RFC 9639, section 8.2 */
export function flacSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 0, 4) !== 'fLaC' || bytes.length < STREAM_INFO_END) return undefined
  const view = viewOf(bytes)
  const samplesPerSecond = view.getUint32(18) >>> 12
  const samples = (view.getUint8(21) & 0x0f) * 2 ** 32 + view.getUint32(22)
  return samples > 0 ? samples / samplesPerSecond : undefined
}
