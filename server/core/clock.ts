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
 * Runs `work` every `intervalMs`. Runs never overlap: a tick is skipped while the previous run is in progress. The
 * returned function stops the schedule and resolves when a run in progress has finished.
 */
export function everyMs(intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let currentRun: Promise<void> = Promise.resolve()
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    currentRun = work().finally(() => {
      isRunning = false
    })
  }, intervalMs)
  return () => {
    clearInterval(timer)
    return currentRun
  }
}

/**
 * Runs `work` again and again; each run returns the pause until the next in milliseconds and must not reject. The
 * returned function stops the schedule and resolves when a run in progress has finished.
 */
export function repeatAfterMs(firstPauseMs: number, work: () => Promise<number>): () => Promise<void> {
  let isStopped = false
  let currentRun: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const pause = (ms: number) => {
    timer = setTimeout(() => {
      currentRun = work().then(pauseMs => {
        if (!isStopped) pause(pauseMs)
      })
    }, ms)
  }
  pause(firstPauseMs)
  return () => {
    isStopped = true
    clearTimeout(timer)
    return currentRun
  }
}

export const sleepMs = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
