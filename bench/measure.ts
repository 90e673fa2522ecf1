import { sleepMs } from '../server/core/clock.ts'
import { type Candidate, MODEL } from './candidates/candidate.ts'
import { middleOf } from './middle-of.ts'
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
const LATENCY_TURNS = 3
const WARM_UP_SHARE = 0.5
const REST_MS = 10_000

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

/** What a candidate did when it was asked as fast as it could answer. */
export interface Throughput {
  readonly cpuMicrosPerRequest: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly succeeded: number
  readonly failed: number
  readonly firstFailure: string
  readonly peakMb: number
  /** After a rest: what stays when the garbage of the last moment is gone. */
  readonly finalMb: number
  /** Processor time per request, round by round. */
  readonly rounds: readonly number[]
}

type LoadOrder = Parameters<typeof runLoad>[1]
type PerCandidate<Figures> = Readonly<Record<string, Figures>>

/** The candidates take turns, so that whatever else the machine does falls on all of them. */
export async function measureThroughput(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<Throughput>> {
  const rounds = new Map<string, MeasuredLoad[]>(candidates.map(({ name }) => [name, []]))
  for (let round = 0; round < size.rounds; round++) {
    for (const candidate of candidates) {
      const count = size.requests[candidate.name] ?? 0
      rounds.get(candidate.name)?.push(await runLoad(candidate, asFastAsItCan(count)))
    }
  }
  await sleepMs(REST_MS)
  const measured = candidates.map(({ name, pid }) => {
    const { residentMb } = readUsage(pid)
    return [name, throughputOf(rounds.get(name) ?? [], residentMb)] as const
  })
  return Object.fromEntries(measured)
}

/** Lets every candidate compile its hot code. Gives what was answered, by name. */
export async function warmUp(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<MeasuredLoad>> {
  const loads: [string, MeasuredLoad][] = []
  for (const candidate of candidates) {
    const count = Math.ceil((size.requests[candidate.name] ?? 0) * WARM_UP_SHARE)
    loads.push([candidate.name, await runLoad(candidate, asFastAsItCan(count))])
  }
  return Object.fromEntries(loads)
}

const asFastAsItCan = (count: number) =>
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

/** The same modest rate for each: the time that a candidate adds when it is not saturated. */
export function measureSteady(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<MeasuredLoad>> {
  return inTurns(candidates, {
    kind: 'requests',
    connections: CONNECTIONS,
    count: STEADY_PER_SECOND * size.steadySeconds,
    ratePerSecond: STEADY_PER_SECOND,
    body: JSON_REQUEST,
  })
}

/** Short streams that begin one after the other: how much later their first token comes. */
export function measureFirstTokens(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<MeasuredLoad>> {
  return inTurns(candidates, {
    kind: 'streams',
    connections: CONNECTIONS,
    count: STREAMS_PER_SECOND * size.steadySeconds,
    ratePerSecond: STREAMS_PER_SECOND,
    body: streamBody({ paceMs: 20, tokens: SHORT_STREAM_TOKENS }),
  })
}

/** Many slow streams at once. */
export function measureStreams(
  candidates: readonly Candidate[],
  size: Size,
): Promise<PerCandidate<MeasuredLoad>> {
  const body = streamBody({ paceMs: STREAM_PACE_MS, tokens: size.streamTokens })
  return inTurn(candidates, { kind: 'streams', connections: STREAMS, count: STREAMS, ratePerSecond: 0, body })
}

const streamBody = ({ paceMs, tokens }: { readonly paceMs: number; readonly tokens: number }) => ({
  model: MODEL,
  stream: true,
  messages: messages(`Count slowly. [lab: pace-${paceMs}+tokens-${tokens}]`),
})

/** Several times in turn, since the slowest hundredth of one short time is mostly what else the machine did then. */
async function inTurns(
  candidates: readonly Candidate[],
  load: LoadOrder,
): Promise<PerCandidate<MeasuredLoad>> {
  const turns: PerCandidate<MeasuredLoad>[] = []
  for (let turn = 0; turn < LATENCY_TURNS; turn++) turns.push(await inTurn(candidates, load))
  return Object.fromEntries(
    candidates.map(({ name }) => [name, middleOf(turns.flatMap(measured => measured[name] ?? []))]),
  )
}

async function inTurn(
  candidates: readonly Candidate[],
  load: LoadOrder,
): Promise<PerCandidate<MeasuredLoad>> {
  const measured: [string, MeasuredLoad][] = []
  for (const candidate of candidates) measured.push([candidate.name, await runLoad(candidate, load)])
  return Object.fromEntries(measured)
}
