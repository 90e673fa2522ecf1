import { sleepMs } from '#server/core/clock.ts'
import { type Candidate, MODEL } from './candidates/candidate.ts'
import { median } from './percentiles.ts'
import { readUsage } from './process-usage.ts'
import { type MeasuredLoad, runLoad } from './run-load.ts'
import type { Size } from './size.ts'

const CONNECTIONS = 64
const STREAMS = 512
const STREAM_PACE_MS = 50
const STEADY_PER_SECOND = 400
const STREAMS_PER_SECOND = 50
const SHORT_STREAM_TOKENS = 10
const LATENCY_ROUNDS = 3
const WARM_UP_SHARE = 0.5
const IDLE_MS = 10_000

const messages = (user: string) => [
  { role: 'system', content: 'You are a terse assistant. Answer in one sentence and name your source.' },
  { role: 'user', content: user },
]
const JSON_REQUEST = {
  model: MODEL,
  max_tokens: 256,
  temperature: 0.7,
  messages: messages('How warm is it in Lisbon today?'),
}

/** A candidate under full load. */
export interface Throughput {
  readonly cpuMicrosPerRequest: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly succeeded: number
  readonly failed: number
  readonly firstFailure: string
  readonly peakMb: number
  /** Resident memory after ten idle seconds, in which the latest garbage is collected. */
  readonly finalMb: number
  /** Microseconds of CPU per request in each round. */
  readonly rounds: readonly number[]
}

type LoadSpec = Parameters<typeof runLoad>[1]
type PerCandidate<Figures> = Readonly<Record<string, Figures>>

/** Measures full load. The candidates take turns, so that other load on the machine affects all of them. */
export async function measureThroughput(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<Throughput>> {
  const rounds = new Map<string, MeasuredLoad[]>(candidates.map(({ name }) => [name, []]))
  for (let round = 0; round < size.rounds; round++) {
    for (const candidate of candidates) {
      const count = size.requests[candidate.name] ?? 0
      rounds.get(candidate.name)?.push(await runLoad(candidate, fullLoad(count)))
    }
  }
  await sleepMs(IDLE_MS)
  const measured = candidates.map(({ name, pid }) => {
    const { residentMb } = readUsage(pid)
    return [name, throughputOf(rounds.get(name) ?? [], residentMb)] as const
  })
  return Object.fromEntries(measured)
}

/** Runs load that is not judged, so that every candidate compiles its hot code. */
export async function warmUp(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<MeasuredLoad>> {
  const loads: [string, MeasuredLoad][] = []
  for (const candidate of candidates) {
    const count = Math.ceil((size.requests[candidate.name] ?? 0) * WARM_UP_SHARE)
    loads.push([candidate.name, await runLoad(candidate, fullLoad(count))])
  }
  return Object.fromEntries(loads)
}

const fullLoad = (count: number) =>
  ({ kind: 'requests', connections: CONNECTIONS, count, ratePerSecond: 0, body: JSON_REQUEST }) as const

function throughputOf(loads: readonly MeasuredLoad[], finalMb: number): Throughput {
  const sum = (figure: (load: MeasuredLoad) => number) =>
    loads.reduce((total, load) => total + figure(load), 0)
  return {
    cpuMicrosPerRequest: median(loads.map(load => load.cpuMicrosPerRequest)),
    requestsPerSecond: median(loads.map(load => load.succeeded / load.seconds)),
    p50Ms: median(loads.map(load => load.latencyMs.p50)),
    p99Ms: median(loads.map(load => load.latencyMs.p99)),
    succeeded: sum(load => load.succeeded),
    failed: sum(load => load.failed),
    firstFailure: loads.find(load => load.failed > 0)?.firstFailure ?? '',
    peakMb: Math.max(...loads.map(load => load.peakMb)),
    finalMb,
    rounds: loads.map(load => load.cpuMicrosPerRequest),
  }
}

/** Measures the latency that each candidate adds at the same steady rate, below saturation. */
export function measureSteady(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<MeasuredLoad>> {
  return runRounds(candidates, {
    kind: 'requests',
    connections: CONNECTIONS,
    count: STEADY_PER_SECOND * size.steadySeconds,
    ratePerSecond: STEADY_PER_SECOND,
    body: JSON_REQUEST,
  })
}

/** Measures the delay of first tokens, with short streams at a steady rate. */
export function measureFirstTokens(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<MeasuredLoad>> {
  return runRounds(candidates, {
    kind: 'streams',
    connections: CONNECTIONS,
    count: STREAMS_PER_SECOND * size.steadySeconds,
    ratePerSecond: STREAMS_PER_SECOND,
    body: streamBody({ paceMs: 20, tokens: SHORT_STREAM_TOKENS }),
  })
}

/** Measures many concurrent slow streams. */
export function measureStreams(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<MeasuredLoad>> {
  const body = streamBody({ paceMs: STREAM_PACE_MS, tokens: size.streamTokens })
  return runOneByOne(candidates, {
    kind: 'streams',
    connections: STREAMS,
    count: STREAMS,
    ratePerSecond: 0,
    body,
  })
}

const streamBody = ({ paceMs, tokens }: { readonly paceMs: number; readonly tokens: number }) => ({
  model: MODEL,
  stream: true,
  messages: messages(`Count slowly. [lab: pace-${paceMs}+tokens-${tokens}]`),
})

/** Runs the load on all candidates several times, because the p99 of one short run mostly shows other load on the machine. */
async function runRounds(
  candidates: readonly Candidate[],
  load: LoadSpec,
): Promise<PerCandidate<MeasuredLoad>> {
  const rounds: PerCandidate<MeasuredLoad>[] = []
  for (let round = 0; round < LATENCY_ROUNDS; round++) rounds.push(await runOneByOne(candidates, load))
  return Object.fromEntries(
    candidates.map(({ name }) => [name, combineRuns(rounds.flatMap(measured => measured[name] ?? []))]),
  )
}

async function runOneByOne(
  candidates: readonly Candidate[],
  load: LoadSpec,
): Promise<PerCandidate<MeasuredLoad>> {
  const measured: [string, MeasuredLoad][] = []
  for (const candidate of candidates) measured.push([candidate.name, await runLoad(candidate, load)])
  return Object.fromEntries(measured)
}

/** Combines several runs of one load: medians of times, sums of counts. */
function combineRuns(loads: readonly MeasuredLoad[]): MeasuredLoad {
  const medianOf = (figure: (load: MeasuredLoad) => number) => median(loads.map(figure))
  const sum = (figure: (load: MeasuredLoad) => number) =>
    loads.reduce((total, load) => total + figure(load), 0)
  return {
    succeeded: sum(load => load.succeeded),
    failed: sum(load => load.failed),
    firstFailure: loads.find(load => load.failed > 0)?.firstFailure ?? '',
    seconds: sum(load => load.seconds),
    latencyMs: { p50: medianOf(load => load.latencyMs.p50), p99: medianOf(load => load.latencyMs.p99) },
    firstTokenMs: {
      p50: medianOf(load => load.firstTokenMs.p50),
      p99: medianOf(load => load.firstTokenMs.p99),
    },
    longestGapMs: medianOf(load => load.longestGapMs),
    eventDelayMs: {
      p50: medianOf(load => load.eventDelayMs.p50),
      p99: medianOf(load => load.eventDelayMs.p99),
      longest: Math.max(...loads.map(load => load.eventDelayMs.longest)),
    },
    tokens: sum(load => load.tokens),
    cpuMicrosPerRequest: medianOf(load => load.cpuMicrosPerRequest),
    residentMb: loads.at(-1)?.residentMb ?? 0,
    peakMb: Math.max(...loads.map(load => load.peakMb)),
  }
}
