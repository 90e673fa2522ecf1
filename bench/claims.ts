import type { BenchResult, Claim } from './result.ts'

const CPU_OVER_FLOOR_MAX = 3
const CPU_OF_PEER_MAX = 1 / 5
const RESIDENT_MB_MAX = 160

const atMost = (says: string, found: number, limit: number): Claim => ({
  says,
  found,
  limit,
  isMet: found <= limit,
})

/** The promises of the project, judged by one run. */
export function judge({ throughput, streams, books }: Omit<BenchResult, 'claims'>): readonly Claim[] {
  const cpu = (name: string): number => throughput[name]?.cpuMicrosPerRequest ?? Number.NaN
  const served = throughput.tollgate?.succeeded ?? 0
  const unfinished = streams.tollgate?.failed ?? Number.NaN
  const lost = (streams.tollgate?.succeeded ?? 0) * books.tokensPerStream - (streams.tollgate?.tokens ?? 0)
  return [
    atMost('CPU per request, as a multiple of the floor', cpu('tollgate') / cpu('floor'), CPU_OVER_FLOOR_MAX),
    atMost('CPU per request, as a share of the peer', cpu('tollgate') / cpu('portkey'), CPU_OF_PEER_MAX),
    atMost(
      `memory in MB after ${served} requests`,
      throughput.tollgate?.finalMb ?? Number.NaN,
      RESIDENT_MB_MAX,
    ),
    atMost('requests that failed', throughput.tollgate?.failed ?? Number.NaN, 0),
    atMost('slow streams that did not finish', unfinished, 0),
    atMost('tokens lost in slow streams', lost, 0),
    atMost('answers without a log row, or the other way round', Math.abs(books.answers - books.logRows), 0),
    atMost('books that do not balance', books.isBalanced ? 0 : 1, 0),
  ]
}
