/** The only reader of the time. Tests replace it with `setClock`, so that results are exact. */
export interface Clock {
  /** Wall clock: milliseconds since the Unix epoch. */
  nowMs(): number
  /** Monotonic clock: milliseconds since an arbitrary start. Use it for durations. */
  elapsedMs(): number
}

const systemClock: Clock = { nowMs: () => Date.now(), elapsedMs: () => performance.now() }
let clock: Clock = systemClock

/** Replaces the clock. Returns a function that restores the previous one. */
export function setClock(replacement: Clock): () => void {
  const previous = clock
  clock = replacement
  return () => {
    clock = previous
  }
}

export const nowMs = (): number => clock.nowMs()
export const nowSeconds = (): number => Math.floor(clock.nowMs() / 1000)
export const elapsedMs = (): number => clock.elapsedMs()

/**
 * Runs `work` every `intervalMs`. Runs never overlap: a tick is skipped while the previous run is in progress. With an
 * interval in whole seconds, the first run comes up to a second early. The returned function stops the schedule and resolves
 * when a run in progress has finished.
 */
export function everyMs(intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let currentRun: Promise<void> = Promise.resolve()
  let isRunning = false
  const stop = startInterval(intervalMs, () => {
    if (isRunning) return
    isRunning = true
    currentRun = work().finally(() => {
      isRunning = false
    })
  })
  return () => {
    stop()
    return currentRun
  }
}

/**
 * Runs `work` again and again; each run returns the pause until the next in milliseconds and must not reject. A pause of
 * whole seconds ends up to a second early. The returned function stops the schedule and resolves when a run in progress has
 * finished.
 */
export function repeatAfterMs(firstPauseMs: number, work: () => Promise<number>): () => Promise<void> {
  let isStopped = false
  let currentRun: Promise<void> = Promise.resolve()
  let stopPause: () => void
  const pause = (ms: number) => {
    stopPause = startInterval(ms, () => {
      stopPause()
      currentRun = work().then(pauseMs => {
        if (!isStopped) pause(pauseMs)
      })
    })
  }
  pause(firstPauseMs)
  return () => {
    isStopped = true
    stopPause()
    return currentRun
  }
}

const SECOND_MS = 1000
const onSecond = new Set<() => void>()
let secondTimer: NodeJS.Timeout | undefined

/**
 * Intervals in whole seconds share one timer: waking an idle process costs more than what most jobs do then.
 * Returns a function that stops the calls.
 */
function startInterval(ms: number, onTick: () => void): () => void {
  if (ms % SECOND_MS !== 0 || ms === 0) {
    const timer = setInterval(onTick, ms)
    return () => clearInterval(timer)
  }
  let seconds = 0
  const countSecond = () => {
    seconds += 1
    if ((seconds * SECOND_MS) % ms === 0) onTick()
  }
  onSecond.add(countSecond)
  secondTimer ??= setInterval(() => {
    for (const count of [...onSecond]) if (onSecond.has(count)) count()
  }, SECOND_MS)
  return () => {
    onSecond.delete(countSecond)
    if (onSecond.size > 0) return
    clearInterval(secondTimer)
    secondTimer = undefined
  }
}

export const sleepMs = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
