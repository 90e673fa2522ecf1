import { flacSeconds, mp4Seconds, oggSeconds, wavSeconds, webmSeconds } from './container-durations.ts'
import { mp4FrameSeconds, webmFrameSeconds } from './container-frames.ts'
import { flacFrameSeconds, opusFrameSeconds, wavFrameSeconds } from './frame-durations.ts'
import { mp3FrameSeconds, mp3Seconds } from './mp3-duration.ts'

/** Assumed byte rate where the duration is unknown: a low bit rate, so that the estimate is not too short. */
const BYTES_PER_SECOND_ASSUMED = 4_000
/**
 * The highest plausible byte rate (48 kHz, 32 bits, two channels). It bounds the duration from below when a header is
 * false.
 */
const BYTES_PER_SECOND_MAX = 384_000
const TOKENS_PER_MINUTE = 1_000
const READERS = [wavSeconds, flacSeconds, oggSeconds, mp4Seconds, webmSeconds, mp3Seconds]
const FRAME_READERS = [
  wavFrameSeconds,
  flacFrameSeconds,
  opusFrameSeconds,
  mp4FrameSeconds,
  webmFrameSeconds,
  mp3FrameSeconds,
]

/**
 * Duration of an audio file in seconds: what its headers state, but at least the length of its frames, so that a forged
 * header costs no less. Estimated from its size where neither tells.
 */
export function audioSeconds(bytes: Uint8Array): number {
  for (const read of READERS) {
    const seconds = read(bytes)
    if (seconds !== undefined && Number.isFinite(seconds) && seconds > 0)
      return Math.max(seconds, frameSeconds(bytes), bytes.byteLength / BYTES_PER_SECOND_MAX)
  }
  return bytes.byteLength / BYTES_PER_SECOND_ASSUMED
}

/** The duration of all frames, as a decoder plays them; 0 where they cannot be measured. */
function frameSeconds(bytes: Uint8Array): number {
  for (const read of FRAME_READERS) {
    const seconds = read(bytes)
    if (seconds !== undefined && Number.isFinite(seconds)) return seconds
  }
  return 0
}

/** Converts audio that is priced by time to tokens: 1,000 tokens per minute, each started second counts in full. */
export const audioDurationTokens = (seconds: number): number =>
  Math.round((Math.ceil(seconds) / 60) * TOKENS_PER_MINUTE)
