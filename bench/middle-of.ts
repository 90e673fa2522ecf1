import { median } from './percentiles.ts'
import type { MeasuredLoad } from './run-load.ts'

/** Combines several runs of one load: medians of times, sums of counts. */
export function middleOf(loads: readonly MeasuredLoad[]): MeasuredLoad {
  const middle = (figure: (load: MeasuredLoad) => number) => median(loads.map(figure))
  const sum = (figure: (load: MeasuredLoad) => number) =>
    loads.reduce((total, load) => total + figure(load), 0)
  return {
    succeeded: sum(load => load.succeeded),
    failed: sum(load => load.failed),
    firstFailure: loads.find(load => load.failed > 0)?.firstFailure ?? '',
    seconds: sum(load => load.seconds),
    latencyMs: { p50: middle(load => load.latencyMs.p50), p99: middle(load => load.latencyMs.p99) },
    firstTokenMs: { p50: middle(load => load.firstTokenMs.p50), p99: middle(load => load.firstTokenMs.p99) },
    longestGapMs: middle(load => load.longestGapMs),
    tokens: sum(load => load.tokens),
    cpuMicrosPerRequest: middle(load => load.cpuMicrosPerRequest),
    residentMb: loads.at(-1)?.residentMb ?? 0,
    peakMb: Math.max(...loads.map(load => load.peakMb)),
  }
}
