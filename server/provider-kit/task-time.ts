import { countOf } from './json.ts'

/** The last moment that a date can name. */
const TIME_MS_MAX = 8_640_000_000_000_000

/** A vendor's time in milliseconds since 1970; 0 where it tells none, or none that can be. */
export function taskTime(value: unknown, msPerUnit: number): number {
  const ms = countOf(value) * msPerUnit
  return ms <= TIME_MS_MAX ? ms : 0
}
