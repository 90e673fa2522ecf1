import { sql } from 'kysely'
import { elapsedMs } from '../../../server/core/clock.ts'
import { listHoldProcessIds } from '../../../server/db/billing/holds.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import type { Ground } from './ground.ts'
import { die, faultsOf, type PointRun, planOf, type RunResult } from './run-points.ts'

const QUIET_TIMEOUT_MS = 20_000
const RELEASE_TIMEOUT_MS = 60_000

/**
 * One death after the other beside a gateway that lives, on one PostgreSQL. Nobody is started again: the one that lives
 * gives back what the dead held. Judged at once, but for the holds, which have a minute from the last death on.
 */
export async function* runSideBySide(ground: Ground, runs: readonly PointRun[]): AsyncGenerator<RunResult> {
  await using living = await ground.start()
  let { lastLog } = await ground.readLedger(0)
  let lastDeathMs = elapsedMs()
  for (const run of runs) {
    const died = await die(ground, await ground.start(planOf(run)), run, lastLog)
    lastDeathMs = died.atMs
    await untilQuiet(ground)
    const audit = await ground.readLedger(lastLog)
    lastLog = audit.lastLog
    const problems = [...faultsOf(audit), ...(await died.judgement(living, audit))]
    yield { name: nameOf(run), seed: run.seed, closedMs: 0, problems }
  }
  await untilReleased(ground)
  const audit = await ground.readLedger(lastLog)
  yield {
    name: 'PostgreSQL: what all of them held',
    seed: 0,
    closedMs: elapsedMs() - lastDeathMs,
    problems: faultsOf(audit),
  }
}

const nameOf = ({ point }: PointRun): string => `PostgreSQL: ${point.name}`

/** The server ends what a dead client had begun, a moment after its death. */
const untilQuiet = (ground: Ground): Promise<unknown> =>
  inDatabase(ground, db =>
    waitUntil({ what: 'the end of all transactions', timeoutMs: QUIET_TIMEOUT_MS }, async () => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
        and state in ('active', 'idle in transaction')`.execute(db)
      return rows[0]?.count === 0
    }),
  )

const untilReleased = (ground: Ground): Promise<unknown> =>
  inDatabase(ground, db =>
    waitUntil({ what: 'the holds of the dead to be given back', timeoutMs: RELEASE_TIMEOUT_MS }, async () => {
      return (await listHoldProcessIds(db)).length === 0
    }),
  )
