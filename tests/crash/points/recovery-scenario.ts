import { startProgram } from '../../harness/program.ts'
import { crashOptions } from './crash-environment.ts'
import type { CrashTrigger, DatabaseTrigger } from './crash-plan.ts'
import { killWithOpenHolds } from './request-scenarios.ts'
import { assertKilled, type Scenario } from './scenario.ts'

const OPEN_HOLDS_MAX = 12

/** A gateway is killed with open holds, and the next gateway is killed while it releases them. */
export const recoveryScenario: Scenario = {
  startsOwnGateway: true,
  countMax: 1,
  async run(context) {
    const { environment, trigger, random } = context
    await killWithOpenHolds({ ...context, count: random.integer(1, OPEN_HOLDS_MAX) })
    const options = crashOptions({
      trigger: assertDatabaseTrigger(trigger),
      count: 1,
      isArmedFromStart: true,
    })
    const variables = { ...options.environment, DATA_DIR: environment.dataDir, PORT: '0', LOG_LEVEL: 'error' }
    await assertKilled(startProgram(['serve'], variables, options).ended, context)
    return async (_, { chargedRequestIds }) =>
      chargedRequestIds.length === 0 ? [] : [`${chargedRequestIds.length} released holds were charged`]
  },
}

function assertDatabaseTrigger(trigger: CrashTrigger): DatabaseTrigger {
  if (trigger.kind !== 'database')
    throw new Error(`expected a database trigger, found ${JSON.stringify(trigger)}`)
  return trigger
}
