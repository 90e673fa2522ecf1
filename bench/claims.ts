import type { Throughput } from './measure.ts'
import { median } from './percentiles.ts'
import type { BenchResult, Claim } from './result.ts'
import type { MeasuredLoad } from './run-load.ts'

/** Per request under full load on the reference machine, two shared cores of an AMD EPYC. */
const CPU_MICROS_MAX = 200
/** A share of the peer's CPU per request in the same run, so that it holds on any machine. */
const CPU_OF_PEER_MAX = 1 / 8
const RESIDENT_MB_MAX = 120
const P99_ADDED_MS_MAX = 5
const FIRST_TOKEN_P99_ADDED_MS_MAX = 10

const atMost = (says: string, found: number, limit: number): Claim => ({
  says,
  found,
  limit,
  isMet: found <= limit,
})

/** Judges the performance promises by the figures of one run. A missing figure breaks its promise. */
export function judge({
  throughput,
  steady,
  firstTokens,
  streams,
  ledger,
}: Omit<BenchResult, 'claims'>): readonly Claim[] {
  const p99Added = addedBy('tollgate', steady, load => load.latencyMs.p99)
  const firstTokenAdded = addedBy('tollgate', firstTokens, load => load.firstTokenMs.p99)
  const served = throughput.tollgate?.succeeded ?? 0
  const unfinished = streams.tollgate?.failed ?? Number.NaN
  const lost = (streams.tollgate?.succeeded ?? 0) * ledger.tokensPerStream - (streams.tollgate?.tokens ?? 0)
  return [
    atMost(
      'microseconds of CPU per request',
      throughput.tollgate?.cpuMicrosPerRequest ?? Number.NaN,
      CPU_MICROS_MAX,
    ),
    atMost(
      'CPU per request as a share of the peer’s',
      multipleOf(throughput.tollgate, throughput.portkey),
      CPU_OF_PEER_MAX,
    ),
    atMost(
      `MB of memory after ${served} requests`,
      throughput.tollgate?.finalMb ?? Number.NaN,
      RESIDENT_MB_MAX,
    ),
    atMost('milliseconds added to the p99 latency of requests', p99Added, P99_ADDED_MS_MAX),
    atMost(
      'milliseconds added to the p99 latency of first tokens',
      firstTokenAdded,
      FIRST_TOKEN_P99_ADDED_MS_MAX,
    ),
    atMost('failed requests', throughput.tollgate?.failed ?? Number.NaN, 0),
    atMost('unfinished slow streams', unfinished, 0),
    atMost('tokens lost in slow streams', lost, 0),
    atMost('difference between responses and log rows', Math.abs(ledger.responses - ledger.logRows), 0),
    atMost('ledger audits with a drift', ledger.isBalanced ? 0 : 1, 0),
  ]
}

/**
 * The CPU cost of one candidate as a multiple of another's: the median over rounds that ran side by side, because the speed
 * of a shared machine varies by a factor of two over time. NaN when either is missing.
 */
export function multipleOf(one: Throughput | undefined, other: Throughput | undefined): number {
  if (!one || !other) return Number.NaN
  return median(one.rounds.map((micros, round) => micros / (other.rounds[round] ?? Number.NaN)))
}

/** The difference to the figure of the upstream itself. NaN when either is missing. */
function addedBy(
  name: string,
  loads: Readonly<Record<string, MeasuredLoad>>,
  figure: (load: MeasuredLoad) => number,
): number {
  const { direct, [name]: candidate } = loads
  return direct && candidate ? figure(candidate) - figure(direct) : Number.NaN
}
