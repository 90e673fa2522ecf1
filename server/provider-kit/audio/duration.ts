import { flacSeconds, mp4Seconds, oggSeconds, wavSeconds, webmSeconds } from './container-durations.ts'
import { mp3Seconds } from './mp3-duration.ts'

/** What a second of sound comes to where its length is not known: a low bit rate, so that the time is not too short. */
const BYTES_PER_SECOND_ASSUMED = 4_000
/** The most that sound takes, by which a file with a false header is at least this long: 48 kHz, 32 bits, two channels. */
const BYTES_PER_SECOND_MAX = 384_000
const TOKENS_PER_MINUTE = 1_000
const READERS = [wavSeconds, flacSeconds, oggSeconds, mp4Seconds, webmSeconds, mp3Seconds]

/** How long a sound file plays, from its own headers; estimated by its size where they do not say. */
export function audioSeconds(bytes: Uint8Array): number {
  for (const read of READERS) {
    const seconds = read(bytes)
    if (seconds !== undefined && Number.isFinite(seconds) && seconds > 0)
      return Math.max(seconds, bytes.byteLength / BYTES_PER_SECOND_MAX)
  }
  return bytes.byteLength / BYTES_PER_SECOND_ASSUMED
}

/** Sound that is priced by time, in tokens: a thousand to the minute, every second begun counts. */
export const audioDurationTokens = (seconds: number): number =>
  Math.round((Math.ceil(seconds) / 60) * TOKENS_PER_MINUTE)
