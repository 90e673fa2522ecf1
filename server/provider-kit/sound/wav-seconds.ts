import { asciiAt, viewOf } from './bytes.ts'

const HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8

/** Undefined when it is no RIFF WAVE file. Source: the RIFF specification, chunks `fmt ` and `data` */
export function wavSeconds(bytes: Uint8Array): number | undefined {
  if (asciiAt(bytes, 0, 4) !== 'RIFF' || asciiAt(bytes, 8, 4) !== 'WAVE') return undefined
  const view = viewOf(bytes)
  let bytesPerSecond = 0
  for (let at = HEADER_BYTES; at + CHUNK_HEADER_BYTES <= bytes.length; ) {
    const name = asciiAt(bytes, at, 4)
    const size = view.getUint32(at + 4, true)
    const start = at + CHUNK_HEADER_BYTES
    if (name === 'fmt ' && start + 12 <= bytes.length) bytesPerSecond = view.getUint32(start + 8, true)
    if (name === 'data' && bytesPerSecond > 0) return Math.min(size, bytes.length - start) / bytesPerSecond
    at = start + size + (size % 2)
  }
  return undefined
}
