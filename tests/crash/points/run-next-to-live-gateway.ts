import { sql } from 'kysely'
import { elapsedMs } from '#server/core/clock.ts'
import { listHoldProcessIds } from '#server/db/billing/holds.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import type { CrashEnvironment } from './crash-environment.ts'
import { type CrashRun, findLedgerProblems, planOf, type RunResult, runScenario } from './run-in-sequence.ts'

const QUIET_TIMEOUT_MS = 60_000
const RELEASE_TIMEOUT_MS = 60_000

/**
 * Kills one gateway after another on a PostgreSQL database that a second gateway keeps serving. The second gateway releases
 * the holds of the killed ones. Each crash is verified at once, except for the holds, which may stay open for up to a
 * minute after the last kill.
 */
export async function* runNextToLiveGateway(
  environment: CrashEnvironment,
  runs: readonly CrashRun[],
): AsyncGenerator<RunResult> {
  await using liveGateway = await environment.startGateway()
  let { lastLogId } = await environment.readLedger(0)
  let lastKillMs = elapsedMs()
  for (const run of runs) {
    const crash = await runScenario(environment, await environment.startGateway(planOf(run)), run, lastLogId)
    lastKillMs = crash.atMs
    await waitForTransactions(environment)
    const audit = await environment.readLedger(lastLogId)
    lastLogId = audit.lastLogId
    const problems = [...findLedgerProblems(audit), ...(await crash.verify(liveGateway, audit))]
    yield { name: nameOf(run), seed: run.seed, recoveryMs: 0, problems }
  }
  await waitForReleasedHolds(environment)
  const audit = await environment.readLedger(lastLogId)
  yield {
    name: 'PostgreSQL: holds of all killed gateways',
    seed: 0,
    recoveryMs: elapsedMs() - lastKillMs,
    problems: findLedgerProblems(audit),
  }
}

const nameOf = ({ point }: CrashRun): string => `PostgreSQL: ${point.name}`

/** PostgreSQL rolls back the transactions of a killed client shortly after the kill. */
const waitForTransactions = (environment: CrashEnvironment): Promise<unknown> =>
  inDatabase(environment, db =>
    waitUntil({ description: 'the end of all transactions', timeoutMs: QUIET_TIMEOUT_MS }, async () => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
        and state in ('active', 'idle in transaction')`.execute(db)
      return rows[0]?.count === 0
    }),
  )

const waitForReleasedHolds = (environment: CrashEnvironment): Promise<unknown> =>
  inDatabase(environment, db =>
    waitUntil(
      { description: 'the holds of killed gateways to be released', timeoutMs: RELEASE_TIMEOUT_MS },
      async () => {
        return (await listHoldProcessIds(db)).length === 0
      },
    ),
  )
