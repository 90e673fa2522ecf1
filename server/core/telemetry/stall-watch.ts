import { elapsedMs } from '../clock.ts'
import { type Logger, throttledLog } from '../logger.ts'
import { createGcTimer } from './gc-timer.ts'
import { Histogram, type MetricsRegistry } from './metrics.ts'

const CHECK_MS = 50
/** From here on people notice. */
const STALL_MS_MIN = 200
/** The watch rests after this time without a request, because an idle process should use no processor. */
const IDLE_MS = 2000
const DELAY_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 5]

/** Work on the main thread that took long. */
interface LongStep {
  readonly step: string
  readonly ms: number
  readonly endedAtMs: number
}

const STEP_MS_MIN = 20
const STEPS_MAX = 32
/** Enough to recognize a statement of SQL. */
const STEP_CHARS_MAX = 80
const longSteps: LongStep[] = []

/** Remembers the last steps that took long, for the log line about a stall. `startedMs` is of the monotonic clock. */
export function noteStep(step: string, startedMs: number): void {
  const endedAtMs = elapsedMs()
  const ms = endedAtMs - startedMs
  if (ms < STEP_MS_MIN) return
  longSteps.push({ step: step.slice(0, STEP_CHARS_MAX), ms, endedAtMs })
  if (longSteps.length > STEPS_MAX) longSteps.shift()
}

export interface StallWatch {
  /** To be called with every request. */
  onRequest(): void
  stop(): void
}

interface StallWatchOptions {
  readonly metrics: MetricsRegistry
  readonly log: Logger
  /** Whether requests are in progress. */
  readonly isBusy: () => boolean
}

/**
 * Measures how late timers fire and how long garbage collections take while requests are served: a late timer delays every
 * stream by as much. A stall above 200 ms is logged with the long steps in it.
 */
export function createStallWatch({ metrics, log, isBusy }: StallWatchOptions): StallWatch {
  const delays = new Histogram(DELAY_BUCKETS)
  metrics.histogram(
    'tollgate_event_loop_delay_seconds',
    'How late timers fire on the main thread while requests are served.',
    () => [[{}, delays]],
  )
  const gcTimer = createGcTimer(metrics)
  const logStall = throttledLog(log, 'the event loop was blocked', 'warn')
  let lastRequestMs = 0
  let expectedMs = 0
  let timer: NodeJS.Timeout | undefined

  const check = () => {
    const lateMs = Math.max(elapsedMs() - expectedMs, 0)
    delays.observe(lateMs / 1000)
    noteCollections()
    if (lateMs >= STALL_MS_MIN) logStall({ ms: Math.round(lateMs), steps: stepsWithin(lateMs + CHECK_MS) })
    if (isBusy()) lastRequestMs = elapsedMs()
    if (elapsedMs() - lastRequestMs < IDLE_MS) wait()
    else timer = undefined
  }
  const noteCollections = () => {
    for (const ms of gcTimer.stop()) noteStep('garbage collection', elapsedMs() - ms)
  }
  const wait = () => {
    gcTimer.start()
    expectedMs = elapsedMs() + CHECK_MS
    timer = setTimeout(check, CHECK_MS)
  }
  return {
    onRequest() {
      if (timer) return
      lastRequestMs = elapsedMs()
      wait()
    },
    stop() {
      clearTimeout(timer)
      gcTimer.stop()
    },
  }
}

const stepsWithin = (ms: number) =>
  longSteps
    .filter(({ endedAtMs }) => elapsedMs() - endedAtMs <= ms)
    .map(({ step, ms }) => ({ step, ms: Math.round(ms) }))
