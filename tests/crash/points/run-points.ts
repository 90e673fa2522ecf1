import { elapsedMs } from '../../../server/core/clock.ts'
import { errorMessage } from '../../../server/core/errors.ts'
import { randomOf } from '../../harness/random.ts'
import type { Gateway } from '../../harness/start-gateway.ts'
import type { Books, Ground } from './ground.ts'
import type { DeathOrder } from './place.ts'
import type { Point } from './points.ts'
import type { Verdict } from './scene.ts'

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
  readonly verdict: Verdict
  readonly lastLog: number
  readonly atMs: number
}

/** One death after the other on one database: the next gateway gives back what the former held, and dies in its turn. */
export async function* runPoints(ground: Ground, runs: readonly PointRun[]): AsyncGenerator<RunResult> {
  let { lastLog } = await ground.readBooks(0)
  let died: Died | undefined
  let gateway: Gateway | undefined
  try {
    for (const run of [...runs, undefined]) {
      const order = run && orderOf(run)
      const isRepeated = died?.run.point.scene.isRepeated ?? false
      gateway = await ground.start(isRepeated ? undefined : order)
      if (died) {
        const books = await ground.readBooks(died.lastLog)
        yield await judge(died, gateway, books)
        lastLog = books.lastLog
      }
      if (!run) return
      if (isRepeated) {
        await gateway.kill()
        gateway = await ground.start(order)
      }
      died = await die(ground, gateway, run, lastLog)
    }
  } finally {
    await gateway?.kill()
  }
}

/** What cannot be brought about is a problem like any other. */
export async function die(ground: Ground, gateway: Gateway, run: PointRun, lastLog: number): Promise<Died> {
  const { point } = run
  const { random, count } = chanceOf(run)
  try {
    const verdict = await point.scene.act({ ground, gateway, place: point.place, count, random })
    return { run, verdict, lastLog, atMs: elapsedMs() }
  } catch (error) {
    await gateway.kill()
    return { run, verdict: async () => [errorMessage(error)], lastLog, atMs: elapsedMs() }
  }
}

function chanceOf({ point, seed }: PointRun) {
  const random = randomOf(`${point.name} ${seed}`)
  return { random, count: random.whole(1, point.scene.countMax) }
}

export function orderOf(run: PointRun): DeathOrder | undefined {
  const { place, scene } = run.point
  return scene.startsItself || place.door === 'client' ? undefined : { place, count: chanceOf(run).count }
}

/** What is wrong at any time, whatever is under way. */
export const faultsOf = ({ drift, unlogged }: Books): readonly string[] => [
  ...(drift === 0 ? [] : [`the drift is ${drift}`]),
  ...(unlogged === 0 ? [] : [`${unlogged} charges have no log row`]),
]

async function judge({ run, verdict, atMs }: Died, gateway: Gateway, books: Books): Promise<RunResult> {
  const closedMs = elapsedMs() - atMs
  const problems = [
    ...faultsOf(books),
    ...(books.holders.length === 0 ? [] : [`${books.holders.length} processes hold money`]),
    ...(await verdict(gateway, books)),
  ]
  return { name: run.point.name, seed: run.seed, closedMs, problems }
}
