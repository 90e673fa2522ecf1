import { elapsedMs, sleepMs } from '#server/core/clock.ts'
import { type Candidate, MODEL } from '../candidates/candidate.ts'
import { median } from '../percentiles.ts'
import { readUsage } from '../process-usage.ts'
import { type MeasuredLoad, runLoad } from '../run-load.ts'
import { streamLoad } from '../stream-load.ts'

export const CONNECTIONS = 32
export const RATE_PER_SECOND = 200
/** Long, because CPU time comes in hundredths of a second and work for the last requests goes on for some seconds. */
const IDLE_MS = 30_000
const PROBE_REQUESTS = 300
const WARM_UP_SECONDS = 2
const QUESTION = 'How warm is it in Lisbon today?'

/** The loads of each candidate, one per round. */
export interface PeerLoads {
  /** With the version, where it is known. */
  readonly name: string
  /** JSON responses; each connection sends as soon as it has its response. */
  readonly closed: readonly MeasuredLoad[]
  /** JSON responses at a fixed rate. */
  readonly fixed: readonly MeasuredLoad[]
  readonly streams: readonly MeasuredLoad[]
  /** Share of one core that the candidate uses without any request. */
  readonly idleShare: number
}

interface Effort {
  readonly rounds: number
  readonly secondsPerLoad: number
}

/** Measures all candidates in turns, so that other load on the machine affects all of them. */
export async function measurePeers(
  candidates: readonly Candidate[],
  { rounds, secondsPerLoad }: Effort,
): Promise<readonly PeerLoads[]> {
  const measured = []
  for (const candidate of candidates) {
    const rate = await warmUp(candidate)
    const loads = { closed: [], fixed: [], streams: [] } as Record<Phase, MeasuredLoad[]>
    measured.push({ candidate, count: Math.ceil(rate * secondsPerLoad), loads })
  }
  for (let round = 0; round < rounds; round++) {
    for (const { candidate, count, loads } of measured)
      loads.closed.push(await runLoad(candidate, jsonLoad(candidate, count, 0)))
    for (const { candidate, loads } of measured)
      loads.fixed.push(
        await runLoad(candidate, jsonLoad(candidate, RATE_PER_SECOND * secondsPerLoad, RATE_PER_SECOND)),
      )
    for (const { candidate, loads } of measured)
      loads.streams.push(await runLoad(candidate, streamLoad(candidate)))
  }
  const idle = await measureIdle(candidates)
  return measured.map(({ candidate, loads }, index) => ({
    name: [candidate.name, candidate.version].filter(Boolean).join(' '),
    ...loads,
    idleShare: idle[index] ?? Number.NaN,
  }))
}

type Phase = 'closed' | 'fixed' | 'streams'

/** Runs load that is not judged. Returns the candidate's requests per second. */
async function warmUp(candidate: Candidate): Promise<number> {
  const rateOf = ({ succeeded, seconds, failed, firstFailure }: MeasuredLoad): number => {
    if (succeeded === 0)
      throw new Error(`${candidate.name} served none of ${failed} requests: ${firstFailure}`)
    return succeeded / seconds
  }
  const rate = rateOf(await runLoad(candidate, jsonLoad(candidate, PROBE_REQUESTS, 0)))
  const warm = await runLoad(candidate, jsonLoad(candidate, Math.ceil(rate * WARM_UP_SECONDS), 0))
  await runLoad(candidate, streamLoad(candidate))
  return rateOf(warm)
}

/** At once, since nobody uses a core. */
async function measureIdle(candidates: readonly Candidate[]): Promise<readonly number[]> {
  await sleepMs(IDLE_MS)
  const cpuSeconds = () => candidates.map(({ pid }) => readUsage(pid).cpuSeconds)
  const [startedMs, before] = [elapsedMs(), cpuSeconds()]
  await sleepMs(IDLE_MS)
  const seconds = (elapsedMs() - startedMs) / 1000
  return cpuSeconds().map((after, index) => (after - (before[index] ?? 0)) / seconds)
}

const jsonLoad = ({ model = MODEL }: Candidate, count: number, ratePerSecond: number) =>
  ({
    kind: 'requests',
    connections: CONNECTIONS,
    count,
    ratePerSecond,
    body: { model, stream: false, messages: [{ role: 'user', content: QUESTION }] },
  }) as const

/** Median over the rounds. */
export const overRounds = (loads: readonly MeasuredLoad[], figure: (load: MeasuredLoad) => number): number =>
  median(loads.map(figure))
