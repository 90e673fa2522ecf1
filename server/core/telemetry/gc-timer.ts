import { GCProfiler } from 'node:v8'
import { Histogram, type MetricsRegistry } from './metrics.ts'

const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/**
 * Times the garbage collections of this thread. A collection lasts longer than it stops the thread, because most of its work
 * runs on other threads.
 */
export interface GcTimer {
  start(): void
  /** Adds the collections since `start` to the metrics. Returns their durations in milliseconds. */
  stop(): readonly number[]
}

export function createGcTimer(metrics: MetricsRegistry): GcTimer {
  const young = new Histogram(DURATION_BUCKETS)
  const full = new Histogram(DURATION_BUCKETS)
  metrics.histogram(
    'tollgate_gc_duration_seconds',
    'How long garbage collections take while requests are served, including what runs on other threads.',
    () => [
      [{ kind: 'young' }, young],
      [{ kind: 'full' }, full],
    ],
  )
  const profiler = new GCProfiler()
  return {
    start: () => profiler.start(),
    stop() {
      // The type omits that there is no result without a start.
      const profile: ReturnType<GCProfiler['stop']> | undefined = profiler.stop()
      const collections = profile?.statistics ?? []
      return collections.map(({ gcType, cost: micros }) => {
        const histogram = gcType === 'Scavenge' ? young : full
        histogram.observe(micros / 1e6)
        return micros / 1000
      })
    },
  }
}
