/** The only reader of the time. Tests replace it with `setClock`, so results are exact. */
export interface Clock {
  /** Milliseconds since 1970, wall clock. */
  nowMs(): number
  /** Milliseconds from an arbitrary start that never go backwards. Use it for durations. */
  elapsedMs(): number
}

const systemClock: Clock = { nowMs: () => Date.now(), elapsedMs: () => performance.now() }
let clock: Clock = systemClock

/** Puts another clock in place and gives back what restores the former one. */
export function setClock(replacement: Clock): () => void {
  const former = clock
  clock = replacement
  return () => {
    clock = former
  }
}

export const nowMs = (): number => clock.nowMs()
export const nowSeconds = (): number => Math.floor(clock.nowMs() / 1000)
export const elapsedMs = (): number => clock.elapsedMs()

/** Runs `work` every `intervalMs`, never twice at once. The returned function stops it and waits for a run in progress. */
export function everyMs(intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    running = work().finally(() => {
      isBusy = false
    })
  }, intervalMs)
  return () => {
    clearInterval(timer)
    return running
  }
}

export const sleepMs = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
