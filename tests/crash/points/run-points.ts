import { elapsedMs } from '../../../server/core/clock.ts'
import { errorMessage } from '../../../server/core/errors.ts'
import { randomOf } from '../../harness/random.ts'
import type { RunningGateway } from '../../harness/start-gateway.ts'
import type { Ground, LedgerState } from './ground.ts'
import type { CrashPlan } from './place.ts'
import type { Point } from './points.ts'
import type { Judgement } from './scene.ts'

export interface PointRun {
  readonly point: Point
  readonly seed: number
}

export interface RunResult {
  readonly name: string
  readonly seed: number
  /** From the death until another process serves and nothing is held any more. */
  readonly closedMs: number
  readonly problems: readonly string[]
}

export interface Died {
  readonly run: PointRun
  readonly judgement: Judgement
  readonly lastLog: number
  readonly atMs: number
}

/** One death after the other on one database: the next gateway gives back what the former held, and dies in its turn. */
export async function* runPoints(ground: Ground, runs: readonly PointRun[]): AsyncGenerator<RunResult> {
  let { lastLog } = await ground.readLedger(0)
  let died: Died | undefined
  let gateway: RunningGateway | undefined
  try {
    for (const run of [...runs, undefined]) {
      const plan = run && planOf(run)
      const isRepeated = died?.run.point.scene.isRepeated ?? false
      gateway = await ground.start(isRepeated ? undefined : plan)
      if (died) {
        const audit = await ground.readLedger(died.lastLog)
        yield await judge(died, gateway, audit)
        lastLog = audit.lastLog
      }
      if (!run) return
      if (isRepeated) {
        await gateway.kill()
        gateway = await ground.start(plan)
      }
      died = await die(ground, gateway, run, lastLog)
    }
  } finally {
    await gateway?.kill()
  }
}

/** What cannot be brought about is a problem like any other. */
export async function die(
  ground: Ground,
  gateway: RunningGateway,
  run: PointRun,
  lastLog: number,
): Promise<Died> {
  const { point } = run
  const { random, count } = chanceOf(run)
  try {
    const judgement = await point.scene.act({ ground, gateway, place: point.place, count, random })
    return { run, judgement, lastLog, atMs: elapsedMs() }
  } catch (error) {
    await gateway.kill()
    return { run, judgement: async () => [errorMessage(error)], lastLog, atMs: elapsedMs() }
  }
}

function chanceOf({ point, seed }: PointRun) {
  const random = randomOf(`${point.name} ${seed}`)
  return { random, count: random.json(1, point.scene.countMax) }
}

export function planOf(run: PointRun): CrashPlan | undefined {
  const { place, scene } = run.point
  return scene.startsItself || place.clientConnection === 'client'
    ? undefined
    : { place, count: chanceOf(run).count }
}

/** What is wrong at any time, whatever is under way. */
export const faultsOf = ({ drift, unlogged }: LedgerState): readonly string[] => [
  ...(drift === 0 ? [] : [`the drift is ${drift}`]),
  ...(unlogged === 0 ? [] : [`${unlogged} charges have no log row`]),
]

async function judge(
  { run, judgement, atMs }: Died,
  gateway: RunningGateway,
  audit: LedgerState,
): Promise<RunResult> {
  const closedMs = elapsedMs() - atMs
  const problems = [
    ...faultsOf(audit),
    ...(audit.owners.length === 0 ? [] : [`${audit.owners.length} processes hold money`]),
    ...(await judgement(gateway, audit)),
  ]
  return { name: run.point.name, seed: run.seed, closedMs, problems }
}
