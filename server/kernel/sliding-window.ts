import { nowMs } from './clock.ts'

/** Counts events by key over the last stretch of time. */
export interface SlidingWindow {
  /** Milliseconds until the key has room again; 0 when it has room now. */
  waitMs(key: string): number
  add(key: string): void
  forget(key: string): void
}

interface WindowOptions {
  /** Events that a key may have within the window. */
  readonly limit: number
  readonly windowMs: number
  /** Keys that are remembered; the one unused for longest makes room. */
  readonly keysMax: number
}

export function openSlidingWindow({ limit, windowMs, keysMax }: WindowOptions): SlidingWindow {
  const timesOf = new Map<string, number[]>()
  const recent = (key: string): number[] => (timesOf.get(key) ?? []).filter(time => time > nowMs() - windowMs)
  return {
    waitMs(key) {
      const times = recent(key)
      const [oldest = 0] = times
      return times.length < limit ? 0 : oldest + windowMs - nowMs()
    },
    add(key) {
      const times = [...recent(key), nowMs()].slice(-limit)
      timesOf.delete(key)
      timesOf.set(key, times)
      const [stalest] = timesOf.keys()
      if (timesOf.size > keysMax && stalest !== undefined) timesOf.delete(stalest)
    },
    forget: key => timesOf.delete(key),
  }
}
