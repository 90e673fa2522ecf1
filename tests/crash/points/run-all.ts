import { errorMessage } from '../../../server/core/errors.ts'
import { openPostgres } from '../../harness/open-postgres.ts'
import { randomOf } from '../../harness/random.ts'
import { type Lab, startLab } from '../../harness/start-lab.ts'
import { judgeTasks } from './drawing.ts'
import { runFirstStart } from './first-start.ts'
import { openGround } from './ground.ts'
import { ERRAND_POINTS, FIRST_START_POINTS, type Point, REQUEST_POINTS, TASK_POINTS } from './points.ts'
import { type PointRun, type RunResult, runPoints } from './run-points.ts'
import { runSideBySide } from './run-side-by-side.ts'

export interface Plan {
  readonly seeds: readonly number[]
  /** Part of the names of the points that are meant; empty: all. */
  readonly name: string
  /** How many databases gateways die on at the same time. */
  readonly sideBySide: number
}

/** Runs on one database, which would grow without end. */
const RUNS_MAX = 60
const POSTGRES_SHARE = 3

type Piece = (lab: Lab, lane: string) => AsyncGenerator<RunResult>

/** Every point with every seed. Gives each result as it comes. */
export async function* runAll(plan: Plan): AsyncGenerator<RunResult> {
  await using lab = await startLab()
  const pieces = piecesOf(plan).entries()
  const results = new TransformStream<RunResult, RunResult>(undefined, { highWaterMark: Infinity })
  const writer = results.writable.getWriter()
  const work = async (): Promise<void> => {
    for (const [index, piece] of pieces)
      for await (const result of unbroken(piece(lab, `piece-${index}`))) void writer.write(result)
  }
  void Promise.all(Array.from({ length: plan.sideBySide }, work)).then(() => writer.close())
  yield* results.readable
}

/** What stops the runs on one database is a problem like any other: the other databases go on. */
async function* unbroken(results: AsyncGenerator<RunResult>): AsyncGenerator<RunResult> {
  try {
    yield* results
  } catch (error) {
    yield { name: 'all that was left on a database', seed: 0, closedMs: 0, problems: [errorMessage(error)] }
  }
}

function piecesOf({ seeds, name }: Plan): readonly Piece[] {
  const runsOf = (points: readonly Point[]): readonly PointRun[] =>
    seeds.flatMap(seed => points.filter(point => point.name.includes(name)).map(point => ({ point, seed })))
  const firstStarts = FIRST_START_POINTS.filter(point => point.name.includes(name))
  const shared = [...runsOf(ERRAND_POINTS), ...runsOf(REQUEST_POINTS)].filter(isRunOnPostgres)
  return [
    ...cut(shared).map(onPostgres),
    ...cut(runsOf(TASK_POINTS)).map(onGround),
    ...cut(runsOf(ERRAND_POINTS)).map(onGround),
    ...cut(runsOf(REQUEST_POINTS)).map(onGround),
    ...seeds.map(seed => () => firstStartsOf(firstStarts, seed)),
  ]
}

function cut(runs: readonly PointRun[]): readonly (readonly PointRun[])[] {
  const count = Math.ceil(runs.length / RUNS_MAX)
  return Array.from({ length: count }, (_, piece) => runs.filter((_run, index) => index % count === piece))
}

const onGround = (runs: readonly PointRun[]): Piece =>
  async function* (lab, lane) {
    const ground = await openGround(lab, lane)
    try {
      yield* runPoints(ground, runs)
      await using _last = await ground.start()
      const problems = await judgeTasks(ground)
      if (problems.length > 0) yield { name: 'the tasks of a whole database', seed: 0, closedMs: 0, problems }
    } finally {
      ground.remove()
    }
  }

/**
 * Recovery there is the living one's work; of the others each seed tries a third. Errands come first: what a dead gateway
 * held comes back at any time within the next minute, and would look as if an errand had brought it.
 */
const isRunOnPostgres = ({ point, seed }: PointRun, index: number): boolean =>
  !point.scene.startsItself && (index + seed) % POSTGRES_SHARE === 0

const onPostgres = (runs: readonly PointRun[]): Piece =>
  async function* (lab, lane) {
    const postgres = await openPostgres()
    const ground = await openGround(lab, lane, postgres.url)
    try {
      yield* runSideBySide(ground, runs)
    } finally {
      ground.remove()
      await postgres.stop()
    }
  }

async function* firstStartsOf(points: typeof FIRST_START_POINTS, seed: number): AsyncGenerator<RunResult> {
  for (const { name, place, countMax } of points) {
    const count = randomOf(`${name} ${seed}`).json(1, countMax)
    yield { name, seed, closedMs: 0, problems: await runFirstStart({ place, count }) }
  }
}
