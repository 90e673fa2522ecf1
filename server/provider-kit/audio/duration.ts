import { flacSeconds, mp4Seconds, oggSeconds, wavSeconds, webmSeconds } from './container-durations.ts'
import { mp3Seconds } from './mp3-duration.ts'

/** Assumed byte rate where the duration is unknown: a low bit rate, so that the estimate is not too short. */
const BYTES_PER_SECOND_ASSUMED = 4_000
/**
 * The highest plausible byte rate (48 kHz, 32 bits, two channels). It bounds the duration from below when a header is
 * false.
 */
const BYTES_PER_SECOND_MAX = 384_000
const TOKENS_PER_MINUTE = 1_000
const READERS = [wavSeconds, flacSeconds, oggSeconds, mp4Seconds, webmSeconds, mp3Seconds]

/**
 * Duration of an audio file in seconds, read from its own headers, or estimated from its size where they do not tell.
 */
export function audioSeconds(bytes: Uint8Array): number {
  for (const read of READERS) {
    const seconds = read(bytes)
    if (seconds !== undefined && Number.isFinite(seconds) && seconds > 0)
      return Math.max(seconds, bytes.byteLength / BYTES_PER_SECOND_MAX)
  }
  return bytes.byteLength / BYTES_PER_SECOND_ASSUMED
}

/** Converts audio that is priced by time to tokens: 1,000 tokens per minute, each started second counts in full. */
export const audioDurationTokens = (seconds: number): number =>
  Math.round((Math.ceil(seconds) / 60) * TOKENS_PER_MINUTE)
