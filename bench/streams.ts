import { parseArgs } from 'node:util'
import type { Candidate } from './candidates/candidate.ts'
import { directTo } from './candidates/direct.ts'
import { startFloor } from './candidates/floor.ts'
import { startTimingUpstream } from './candidates/timing-upstream.ts'
import { startTollgate } from './candidates/tollgate.ts'
import { median } from './percentiles.ts'
import { type Cell, round, table } from './report.ts'
import { type MeasuredLoad, runLoad } from './run-load.ts'
import { STREAM, streamLoad } from './stream-load.ts'

/** Multiples are of the floor's figures in the same round. */
const EVENT_P50_MULTIPLE_MAX = 2
const EVENT_P99_MS_MAX = 6
const FIRST_TOKEN_P50_MULTIPLE_MAX = 4
const FIRST_TOKEN_P99_MS_MAX = 35

type Rounds = Readonly<Record<string, readonly MeasuredLoad[]>>
type Figure = (load: MeasuredLoad) => number

/**
 * Times many streams at once by the clock of their upstream, without a gateway, through the floor and through the gateway, in
 * turns (`--rounds N`). Exits with 1 when the gateway delays them beyond a limit or a stream is incomplete.
 */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
  const upstream = await startTimingUpstream(STREAM)
  const tollgate = await startTollgate(upstream)
  const floor = await startFloor(upstream.url)
  try {
    const rounds = await measure([directTo(upstream), floor, tollgate], Number(values.rounds))
    print(table(toRows(rounds)))
    return judge(rounds) ? 0 : 1
  } finally {
    await Promise.all([floor.stop(), tollgate.stop(), upstream.stop()])
  }
}

/** The first round is not counted: it compiles hot code. */
async function measure(candidates: readonly Candidate[], count: number): Promise<Rounds> {
  const rounds = candidates.map(({ name }) => [name, [] as MeasuredLoad[]] as const)
  for (let round = 0; round <= count; round++)
    for (const [index, candidate] of candidates.entries()) {
      const load = await runLoad(candidate, streamLoad(candidate))
      if (round > 0) rounds[index]?.[1].push(load)
    }
  return Object.fromEntries(rounds)
}

const FIGURES = {
  'event p50 ms': load => load.eventDelayMs.p50,
  'event p99 ms': load => load.eventDelayMs.p99,
  'longest delay ms': load => load.eventDelayMs.longest,
  'first token p50 ms': load => load.firstTokenMs.p50,
  'p99 ms': load => load.firstTokenMs.p99,
  'longest gap ms': load => load.longestGapMs,
  'CPU µs a stream': load => load.cpuMicrosPerRequest,
  failed: load => load.failed,
} as const satisfies Readonly<Record<string, Figure>>

const toRows = (rounds: Rounds): readonly (readonly Cell[])[] => [
  ['', ...Object.keys(FIGURES)],
  ...Object.entries(rounds).map(([name, loads]) => [
    name,
    ...Object.values(FIGURES).map(figure => round(median(loads.map(figure)))),
  ]),
]

/** Prints each limit with what was found. */
function judge(rounds: Rounds): boolean {
  const { tollgate = [], floor = [] } = rounds
  const multiple = (figure: Figure) =>
    median(tollgate.map((load, index) => figure(load) / figure(floor[index] ?? load)))
  const milliseconds = (figure: Figure) => median(tollgate.map(figure))
  const claims = [
    {
      says: 'event delay p50, × the floor',
      found: multiple(FIGURES['event p50 ms']),
      limit: EVENT_P50_MULTIPLE_MAX,
    },
    { says: 'event delay p99, ms', found: milliseconds(FIGURES['event p99 ms']), limit: EVENT_P99_MS_MAX },
    {
      says: 'first token p50, × the floor',
      found: multiple(FIGURES['first token p50 ms']),
      limit: FIRST_TOKEN_P50_MULTIPLE_MAX,
    },
    { says: 'first token p99, ms', found: milliseconds(FIGURES['p99 ms']), limit: FIRST_TOKEN_P99_MS_MAX },
    {
      says: 'lost or incomplete streams',
      found: tollgate.filter(isIncomplete).length,
      limit: 0,
    },
  ]
  for (const { says, found, limit } of claims)
    print(`${found <= limit ? 'met    ' : 'NOT MET'} ${says}: ${round(found)} (at most ${limit})`)
  return claims.every(({ found, limit }) => found <= limit)
}

const isIncomplete = ({ failed, tokens, succeeded }: MeasuredLoad): boolean =>
  failed > 0 || tokens !== succeeded * STREAM.events

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())
