import { afterEach, beforeEach } from 'bun:test'
import { setClock } from '../core/clock.ts'

/** Lets the tests of a file run ahead of the real time, by `skippedMs`, which is 0 when a test begins. */
export function describeTimeAhead(): { skippedMs: number } {
  const time = { skippedMs: 0 }
  let restore: () => void
  beforeEach(() => {
    time.skippedMs = 0
    restore = setClock({
      nowMs: () => Date.now() + time.skippedMs,
      elapsedMs: () => performance.now() + time.skippedMs,
    })
  })
  afterEach(() => restore())
  return time
}
