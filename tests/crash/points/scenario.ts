import type { Random } from '../../harness/random.ts'
import type { RunningGateway } from '../../harness/start-gateway.ts'
import type { CrashEnvironment, LedgerSnapshot } from './crash-environment.ts'
import type { CrashTrigger } from './crash-plan.ts'

export interface ScenarioContext {
  readonly environment: CrashEnvironment
  /** Kills itself at the trigger. For a client trigger, the scenario kills it. */
  readonly gateway: RunningGateway
  readonly trigger: CrashTrigger
  /** The occurrence of the trigger that kills the gateway. */
  readonly count: number
  readonly random: Random
}

/** Checks the state after the next start. Returns the problems found, as sentences. */
export type Verification = (gateway: RunningGateway, after: LedgerSnapshot) => Promise<readonly string[]>

/** Drives a gateway until it is killed. */
export interface Scenario {
  /** The gateway is started without a crash plan: the scenario starts the process that crashes. */
  readonly startsOwnGateway?: boolean
  /** The verification repeats the operation, so it needs a gateway without a crash plan. */
  readonly isRepeated?: boolean
  /** Occurrences of the trigger that one run can cause. */
  readonly countMax: number
  /** Resolves once the gateway is dead. */
  run(context: ScenarioContext): Promise<Verification>
}

const KILLED_EXIT_CODE = 137
const KILL_TIMEOUT_MS = 60_000

/** Resolves when the process was killed. Throws when it exits otherwise or never reaches the trigger. */
export async function assertKilled(
  ended: Promise<number>,
  { trigger, count }: Pick<ScenarioContext, 'trigger' | 'count'>,
): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`the trigger did not occur ${count} times: ${JSON.stringify(trigger)}`)),
    KILL_TIMEOUT_MS,
  )
  const code = await Promise.race([ended, late.promise]).finally(() => clearTimeout(timer))
  if (code !== KILLED_EXIT_CODE) throw new Error(`expected a kill, found the exit code ${code}`)
}
