import { elapsedMs } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { seededRandom } from '../../harness/random.ts'
import type { RunningGateway } from '../../harness/start-gateway.ts'
import type { CrashEnvironment, LedgerSnapshot } from './crash-environment.ts'
import type { CrashPlan } from './crash-plan.ts'
import type { CrashPoint } from './crash-points.ts'
import type { Verification } from './scenario.ts'

export interface CrashRun {
  readonly point: CrashPoint
  readonly seed: number
}

export interface RunResult {
  readonly name: string
  readonly seed: number
  /** Milliseconds from the kill until another process serves and no hold is open. */
  readonly recoveryMs: number
  readonly problems: readonly string[]
}

export interface CrashOutcome {
  readonly run: CrashRun
  readonly verify: Verification
  readonly lastLogId: number
  readonly atMs: number
}

/**
 * Runs crash points one after another on one database. The gateway that recovers from one crash is killed at the next
 * point, so that each point costs one start.
 */
export async function* runInSequence(
  environment: CrashEnvironment,
  runs: readonly CrashRun[],
): AsyncGenerator<RunResult> {
  let { lastLogId } = await environment.readLedger(0)
  let crash: CrashOutcome | undefined
  let gateway: RunningGateway | undefined
  try {
    for (const run of [...runs, undefined]) {
      const plan = run && planOf(run)
      const isRepeated = crash?.run.point.scenario.isRepeated ?? false
      gateway = await environment.startGateway(isRepeated ? undefined : plan)
      if (crash) {
        const audit = await environment.readLedger(crash.lastLogId)
        yield await createResult(crash, gateway, audit)
        lastLogId = audit.lastLogId
      }
      if (!run) return
      if (isRepeated) {
        await gateway.kill()
        gateway = await environment.startGateway(plan)
      }
      crash = await runScenario(environment, gateway, run, lastLogId)
    }
  } finally {
    await gateway?.kill()
  }
}

/** Runs a scenario until the gateway is dead. A scenario that fails becomes a problem of the result. */
export async function runScenario(
  environment: CrashEnvironment,
  gateway: RunningGateway,
  run: CrashRun,
  lastLogId: number,
): Promise<CrashOutcome> {
  const { point } = run
  const { random, count } = seededChoices(run)
  try {
    const verify = await point.scenario.run({ environment, gateway, trigger: point.trigger, count, random })
    return { run, verify, lastLogId, atMs: elapsedMs() }
  } catch (error) {
    await gateway.kill()
    return { run, verify: async () => [errorMessage(error)], lastLogId, atMs: elapsedMs() }
  }
}

function seededChoices({ point, seed }: CrashRun) {
  const random = seededRandom(`${point.name} ${seed}`)
  return { random, count: random.integer(1, point.scenario.countMax) }
}

export function planOf(run: CrashRun): CrashPlan | undefined {
  const { trigger, scenario } = run.point
  return scenario.startsOwnGateway || trigger.kind === 'client'
    ? undefined
    : { trigger, count: seededChoices(run).count }
}

/** Violations of what must hold at any time, even with active requests. */
export const findLedgerProblems = ({ drift, unlogged }: LedgerSnapshot): readonly string[] => [
  ...(drift === 0 ? [] : [`the drift is ${drift}`]),
  ...(unlogged === 0 ? [] : [`${unlogged} charges have no log row`]),
]

async function createResult(
  { run, verify, atMs }: CrashOutcome,
  gateway: RunningGateway,
  audit: LedgerSnapshot,
): Promise<RunResult> {
  const recoveryMs = elapsedMs() - atMs
  const problems = [
    ...findLedgerProblems(audit),
    ...(audit.holdingProcesses.length === 0 ? [] : [`${audit.holdingProcesses.length} processes hold money`]),
    ...(await verify(gateway, audit)),
  ]
  return { name: run.point.name, seed: run.seed, recoveryMs, problems }
}
