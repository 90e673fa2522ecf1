import { sleepMs } from '../../../server/core/clock.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { assertKilled } from './assert-killed.ts'
import type { Ground } from './ground.ts'
import type { Scene, Stage } from './scene.ts'

const PRICE = 1000
const ROUNDS_MAX = 40
const PAUSE_MS = 250
/** A look at tasks that a death interrupted is repeated after half a minute. */
const END_TIMEOUT_MS = 60_000
const SCRIPTS = ['task-ms-1', 'task-ms-1', 'task-ms-1500', 'task-fail+task-ms-1', 'task-code-22'] as const

/** Drawings are submitted until the gateway dies, which may be while it follows them. Judged at the end of all. */
export const drawing: Scene = {
  countMax: 3,
  async act(stage) {
    const { gateway } = stage
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      if (!(await submit(stage))) break
      await sleepMs(PAUSE_MS)
    }
    await assertKilled(gateway.ended, stage)
    return async () => []
  },
}

/** False when no answer came. */
async function submit({ gateway, ground, random }: Stage): Promise<boolean> {
  try {
    const response = await fetch(`${gateway.url}/mj/submit/imagine`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${ground.key}` },
      body: JSON.stringify({ prompt: `a lighthouse [lab: ${random.pick(SCRIPTS)}]` }),
    })
    await response.text()
    return true
  } catch {
    return false
  }
}

/** Waits, with a gateway running, for the end of every task; gives those not charged or given back exactly once. */
export const judgeTasks = (ground: Ground): Promise<readonly string[]> =>
  inDatabase(ground, async db => {
    await waitUntil({ what: 'the end of every task', timeoutMs: END_TIMEOUT_MS }, async () => {
      const due = await db.selectFrom('tasks').select('id').where('due_ms', 'is not', null).executeTakeFirst()
      return due === undefined
    })
    const tasks = await db.selectFrom('tasks').select(['request_id', 'outcome']).execute()
    const postings = await db
      .selectFrom('postings')
      .select(['request_id', 'kind', 'amount'])
      .orderBy('id')
      .execute()
    const storyOf = Map.groupBy(postings, posting => posting.request_id)
    return tasks.flatMap(({ request_id, outcome }) => {
      const story = (storyOf.get(request_id) ?? []).map(({ kind, amount }) => `${kind} ${amount}`).join(', ')
      const right = `hold ${PRICE}, ${outcome === 'succeeded' ? 'charge' : 'release'} ${PRICE}`
      return story === right ? [] : [`a task that ${outcome} has the story: ${story}`]
    })
  })
