import { errorMessage } from '#server/core/errors.ts'
import { openPostgres } from '../../harness/open-postgres.ts'
import { seededRandom } from '../../harness/random.ts'
import { type Lab, startLab } from '../../harness/start-lab.ts'
import { createCrashEnvironment } from './crash-environment.ts'
import {
  BALANCE_POINTS,
  type CrashPoint,
  FIRST_START_POINTS,
  REQUEST_POINTS,
  TASK_POINTS,
} from './crash-points.ts'
import { runFirstStart } from './first-start.ts'
import { type CrashRun, type RunResult, runInSequence } from './run-in-sequence.ts'
import { runNextToLiveGateway } from './run-next-to-live-gateway.ts'
import { verifyTasks } from './task-scenario.ts'

export interface CrashBenchPlan {
  readonly seeds: readonly number[]
  /** Selects the points whose names contain this text. Empty: all points. */
  readonly name: string
  /** Batches that run at the same time, each on its own database. */
  readonly concurrency: number
  /** One of so many points of a seed is repeated on PostgreSQL. */
  readonly postgresShare?: number
}

/** Runs on one database. Small batches let the crash points of one seed run side by side. */
const BATCH_RUNS_MAX = 15
const POSTGRES_SHARE = 3

type CrashBatch = (lab: Lab, namespace: string) => AsyncGenerator<RunResult>

/** Runs every selected point with every seed and yields the results as they arrive. */
export async function* runAll(plan: CrashBenchPlan): AsyncGenerator<RunResult> {
  await using lab = await startLab()
  const batches = createBatches(plan).entries()
  const results = new TransformStream<RunResult, RunResult>(undefined, { highWaterMark: Infinity })
  const writer = results.writable.getWriter()
  const work = async (): Promise<void> => {
    for (const [index, batch] of batches)
      for await (const result of catchErrors(batch(lab, `batch-${index}`))) void writer.write(result)
  }
  void Promise.all(Array.from({ length: plan.concurrency }, work)).then(() => writer.close())
  yield* results.readable
}

/** An error that ends a batch becomes a problem, so that the other batches continue. */
async function* catchErrors(results: AsyncGenerator<RunResult>): AsyncGenerator<RunResult> {
  try {
    yield* results
  } catch (error) {
    yield { name: 'the rest of a batch', seed: 0, recoveryMs: 0, problems: [errorMessage(error)] }
  }
}

function createBatches({
  seeds,
  name,
  postgresShare = POSTGRES_SHARE,
}: CrashBenchPlan): readonly CrashBatch[] {
  const runsOf = (points: readonly CrashPoint[]): readonly CrashRun[] =>
    seeds.flatMap(seed => points.filter(point => point.name.includes(name)).map(point => ({ point, seed })))
  const firstStarts = FIRST_START_POINTS.filter(point => point.name.includes(name))
  const shared = [...runsOf(BALANCE_POINTS), ...runsOf(REQUEST_POINTS)].filter(isOnPostgres(postgresShare))
  return [
    ...splitRuns(shared).map(onPostgres),
    ...splitRuns(runsOf(TASK_POINTS)).map(onSqlite),
    ...splitRuns(runsOf(BALANCE_POINTS)).map(onSqlite),
    ...splitRuns(runsOf(REQUEST_POINTS)).map(onSqlite),
    ...seeds.map(seed => () => runFirstStarts(firstStarts, seed)),
  ]
}

function splitRuns(runs: readonly CrashRun[]): readonly (readonly CrashRun[])[] {
  const count = Math.ceil(runs.length / BATCH_RUNS_MAX)
  return Array.from({ length: count }, (_, batch) => runs.filter((_run, index) => index % count === batch))
}

const onSqlite = (runs: readonly CrashRun[]): CrashBatch =>
  async function* (lab, namespace) {
    const environment = await createCrashEnvironment(lab, namespace)
    try {
      yield* runInSequence(environment, runs)
      await using _gateway = await environment.startGateway()
      const problems = await verifyTasks(environment)
      if (problems.length > 0) yield { name: 'the tasks of a batch', seed: 0, recoveryMs: 0, problems }
    } finally {
      environment.remove()
    }
  }

/**
 * On PostgreSQL the live gateway recovers, so recovery points are left out; each seed runs a share of the others. Balance
 * points come first: the holds of a killed gateway are released at any time within the next minute, which would look like
 * a gain of the operation.
 */
const isOnPostgres =
  (share: number) =>
  ({ point, seed }: CrashRun, index: number): boolean =>
    !point.scenario.startsOwnGateway && (index + seed) % share === 0

const onPostgres = (runs: readonly CrashRun[]): CrashBatch =>
  async function* (lab, namespace) {
    const postgres = await openPostgres()
    const environment = await createCrashEnvironment(lab, namespace, postgres.url)
    try {
      yield* runNextToLiveGateway(environment, runs)
    } finally {
      environment.remove()
      await postgres.stop()
    }
  }

async function* runFirstStarts(points: typeof FIRST_START_POINTS, seed: number): AsyncGenerator<RunResult> {
  for (const { name, trigger, countMax } of points) {
    const count = seededRandom(`${name} ${seed}`).integer(1, countMax)
    yield { name, seed, recoveryMs: 0, problems: await runFirstStart({ trigger, count }) }
  }
}
