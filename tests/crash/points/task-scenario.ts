import { sleepMs } from '#server/core/clock.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import type { CrashEnvironment } from './crash-environment.ts'
import { assertKilled, type Scenario, type ScenarioContext } from './scenario.ts'

const PRICE = 1000
const ROUNDS_MAX = 40
const PAUSE_MS = 250
/** A poll that a crash interrupted is repeated after half a minute. */
const END_TIMEOUT_MS = 60_000
const LAB_SCENARIOS = [
  'task-ms-1',
  'task-ms-1',
  'task-ms-1500',
  'task-fail+task-ms-1',
  'task-code-22',
] as const

/** Submits drawings until the gateway is killed, possibly while it polls them. `verifyTasks` checks all of them at the end. */
export const taskScenario: Scenario = {
  countMax: 3,
  async run(context) {
    const { gateway } = context
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (!(await submit(context))) break
      await sleepMs(PAUSE_MS)
    }
    await assertKilled(gateway.ended, context)
    return async () => []
  },
}

/** Returns false when the gateway did not respond. */
async function submit({ gateway, environment, random }: ScenarioContext): Promise<boolean> {
  try {
    const response = await fetch(`${gateway.url}/mj/submit/imagine`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${environment.key}` },
      body: JSON.stringify({ prompt: `a lighthouse [lab: ${random.pick(LAB_SCENARIOS)}]` }),
    })
    await response.text()
    return true
  } catch {
    return false
  }
}

/** Waits until a running gateway has finished every task. Returns the tasks that were not charged or refunded exactly once. */
export const verifyTasks = (environment: CrashEnvironment): Promise<readonly string[]> =>
  inDatabase(environment, async db => {
    await waitUntil({ description: 'the end of every task', timeoutMs: END_TIMEOUT_MS }, async () => {
      const due = await db.selectFrom('tasks').select('id').where('due_ms', 'is not', null).executeTakeFirst()
      return due === undefined
    })
    const tasks = await db.selectFrom('tasks').select(['request_id', 'outcome']).execute()
    const postings = await db
      .selectFrom('postings')
      .select(['request_id', 'kind', 'amount'])
      .orderBy('id')
      .execute()
    const postingsByRequest = Map.groupBy(postings, posting => posting.request_id)
    return tasks.flatMap(({ request_id, outcome }) => {
      const actual = (postingsByRequest.get(request_id) ?? [])
        .map(({ kind, amount }) => `${kind} ${amount}`)
        .join(', ')
      const expected = `hold ${PRICE}, ${outcome === 'succeeded' ? 'charge' : 'release'} ${PRICE}`
      return actual === expected ? [] : [`a task that ${outcome} has the postings: ${actual}`]
    })
  })
