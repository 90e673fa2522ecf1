import type { Throughput } from './measure.ts'
import { median } from './percentiles.ts'
import type { BenchResult, Claim } from './result.ts'
import type { MeasuredLoad } from './run-load.ts'

const CPU_OVER_FLOOR_MAX = 2.2
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

/** The promises of the project, judged by one run. */
export function judge({
  throughput,
  steady,
  firstTokens,
  streams,
  ledger,
}: Omit<BenchResult, 'claims'>): readonly Claim[] {
  const p99Added = addedBy('tollgate', steady, load => load.latencyMs.p99)
  const firstTokenAdded = addedBy('tollgate', firstTokens, load => load.firstTokenMs.p99)
  const ofCpu = (name: string): number => multipleOf(throughput.tollgate, throughput[name])
  const served = throughput.tollgate?.succeeded ?? 0
  const unfinished = streams.tollgate?.failed ?? Number.NaN
  const lost = (streams.tollgate?.succeeded ?? 0) * ledger.tokensPerStream - (streams.tollgate?.tokens ?? 0)
  return [
    atMost('CPU per request, as a multiple of the floor', ofCpu('floor'), CPU_OVER_FLOOR_MAX),
    atMost('CPU per request, as a share of the peer', ofCpu('portkey'), CPU_OF_PEER_MAX),
    atMost(
      `memory in MB after ${served} requests`,
      throughput.tollgate?.finalMb ?? Number.NaN,
      RESIDENT_MB_MAX,
    ),
    atMost('milliseconds added in the slowest hundredth of requests', p99Added, P99_ADDED_MS_MAX),
    atMost(
      'milliseconds added to the slowest hundredth of first tokens',
      firstTokenAdded,
      FIRST_TOKEN_P99_ADDED_MS_MAX,
    ),
    atMost('requests that failed', throughput.tollgate?.failed ?? Number.NaN, 0),
    atMost('slow streams that did not finish', unfinished, 0),
    atMost('tokens lost in slow streams', lost, 0),
    atMost('answers without a log row, or the other way round', Math.abs(ledger.responses - ledger.logRows), 0),
    atMost('books that do not balance', ledger.isBalanced ? 0 : 1, 0),
  ]
}

/**
 * What one costs as a multiple of another: the middle of the rounds, each held against the other's round beside it, since
 * a machine with neighbours is at one time half as fast as at another. Not a number when either is missing.
 */
export function multipleOf(one: Throughput | undefined, other: Throughput | undefined): number {
  if (!one || !other) return Number.NaN
  return median(one.rounds.map((micros, round) => micros / (other.rounds[round] ?? Number.NaN)))
}

/** By how much a figure is greater than that of the upstream itself. Not a number when either is missing. */
function addedBy(
  name: string,
  loads: Readonly<Record<string, MeasuredLoad>>,
  figure: (load: MeasuredLoad) => number,
): number {
  const { direct, [name]: candidate } = loads
  return direct && candidate ? figure(candidate) - figure(direct) : Number.NaN
}
