import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sleepMs } from '#server/core/clock.ts'
import { type Database, openDatabase } from '#server/db/engine/database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setScenario } from '../harness/lab-namespace.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

/** Enough for tasks of every kind and state at each kill; `npm run test:long` looks for rarer moments. */
const TASKS = process.env.TEST_LONG ? 10_000 : 2000
const CLIENTS = 48
/** Shares of all submissions at which each gateway is killed, and at which the providers fail for a moment. */
const KILLED_AT = [0.3, 0.6] as const
const STALLED_AT = 0.45
const STALLED_MS = 1000
const PAUSE_MS = 20
const TEST_TIMEOUT_MS = 900_000
const END_TIMEOUT_MS = 90_000
const LANE = 'tasks'
const ENVIRONMENT = { SECRET_KEY: 'the secret key of two gateways', WORKERS: '1' }

let lab: Lab
let postgres: PostgresDatabase
let key: string
let gateways: RunningGateway[]
/** Task ids returned to clients, with the lab scenario of each. */
const taken = new Map<string, string>()
let cutOff = 0
let rejected = 0

const environment = () => ({ ...ENVIRONMENT, DATABASE_URL: postgres.url })
const start = () => startGateway({ environment: environment() })

/** The second gateway starts after the setup, because a running one may use old prices for up to two seconds. */
beforeAll(async () => {
  ;[lab, postgres] = await Promise.all([startLab(), openPostgres()])
  const first = await start()
  gateways = [first]
  const root = await first.signInAsRoot()
  await setOptions(root, { ModelPrice: { mj_imagine: 0.001, suno_music: 0.002 } })
  await addLabChannel(root, lab, { provider: 'drawing', models: ['mj_imagine'], namespace: LANE })
  await addLabChannel(root, lab, { provider: 'music', models: ['suno_music'], namespace: LANE })
  key = (await addToken(root, { unlimited_quota: false, remain_quota: 20_000_000 })).key
  gateways.push(await start())
})

afterAll(async () => {
  await Promise.all((gateways ?? []).map(gateway => gateway.stop()))
  await Promise.all([lab?.stop(), postgres?.stop()])
})

/** Lab scenarios of the submissions: most succeed, many fail later, some are rejected or get no response. */
const SCRIPTS = [
  ...Array.from({ length: 6 }, () => 'task-ms-1500'),
  'task-ms-4000',
  'task-fail+task-ms-500',
  'task-fail+task-ms-2500',
  'task-code-22',
  'task-code-23',
  'status-500',
]

test(
  `keeps the ledger balanced over ${TASKS} tasks with faults and two killed processes`,
  async () => {
    let left = TASKS
    const events = [
      once(
        () => left <= TASKS * (1 - KILLED_AT[0]),
        () => killAndStart(0),
      ),
      once(() => left <= TASKS * (1 - STALLED_AT), stallMs),
      once(
        () => left <= TASKS * (1 - KILLED_AT[1]),
        () => killAndStart(1),
      ),
    ]
    const client = async (): Promise<void> => {
      while (left > 0) {
        left -= 1
        const isResponded = await submit(left)
        if (!isResponded) left += 1
        for (const event of events) event.check()
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    await Promise.all(events.map(event => event.done()))
    await inLedger(db =>
      waitUntil({ description: 'the end of every task', timeoutMs: END_TIMEOUT_MS }, () => isQuiet(db)),
    )

    const audit = await verifyLedger({ ...environment(), DATA_DIR: gateways[0]?.dataDir ?? '' })
    expect(audit).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
    expect(cutOff).toBeGreaterThan(0)
    expect(rejected).toBeGreaterThan(0)
    expect(taken.size).toBeGreaterThan(TASKS / 2)
  },
  TEST_TIMEOUT_MS,
)

test('charges each task once, or refunds it once without a charge', async () => {
  const { tasks, postings, logs } = await inLedger(async db => ({
    tasks: await db.selectFrom('tasks').selectAll().execute(),
    postings: await db
      .selectFrom('postings')
      .select(['request_id', 'kind', 'amount'])
      .orderBy('id')
      .execute(),
    logs: await db.selectFrom('logs').select(['request_id', 'type', 'quota']).execute(),
  }))
  const postingsOf = Map.groupBy(postings, posting => posting.request_id)
  const logsOf = Map.groupBy(logs, log => log.request_id)
  const storyOf = (requestId: string) => [
    ...(postingsOf.get(requestId) ?? []).map(({ kind, amount }) => `${kind} ${amount}`),
    ...(logsOf.get(requestId) ?? []).map(({ type, quota }) => `log ${type} of ${quota}`),
  ]
  const unlike = tasks
    .map(({ request_id, platform, outcome, due_ms }) => {
      const price = platform === 'mj' ? 500 : 1000
      const end =
        outcome === 'succeeded'
          ? [`charge ${price}`, `log 2 of ${price}`]
          : [`release ${price}`, 'log 5 of 0']
      return { due_ms, story: storyOf(request_id), expected: [`hold ${price}`, ...end] }
    })
    .filter(({ due_ms, story, expected }) => due_ms !== null || !Bun.deepEquals(story, expected))
  expect(unlike).toEqual([])
  expect(tasks.filter(task => task.outcome === 'failed').length).toBeGreaterThan(TASKS / 20)
})

test('follows each accepted task to its expected outcome', async () => {
  const rows = await inLedger(db => db.selectFrom('tasks').select(['task_id', 'outcome']).execute())
  const outcomes = new Map(rows.map(row => [row.task_id, row.outcome]))
  const unlike = [...taken].filter(
    ([id, script]) => outcomes.get(id) !== (script.startsWith('task-fail') ? 'failed' : 'succeeded'),
  )
  expect(unlike).toEqual([])
})

/** Returns false without a response. The submission is then repeated on any gateway. */
async function submit(number: number): Promise<boolean> {
  const gateway = gateways[(number + cutOff) % gateways.length]
  const script = SCRIPTS[number % SCRIPTS.length] ?? ''
  const isSong = number % 5 === 0
  const prompt = `task ${number} [lab: ${script}]`
  try {
    const response = await fetch(`${gateway?.url}${isSong ? '/suno/submit/music' : '/mj/submit/imagine'}`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}` },
      body: JSON.stringify(isSong ? { gpt_description_prompt: prompt } : { prompt }),
    })
    const json = JSON.parse(await response.text())
    const id = json.code === 1 ? json.result : json.code === 'success' ? json.data : undefined
    if (typeof id === 'string') taken.set(id, script)
    else rejected += 1
    return true
  } catch {
    cutOff += 1
    await sleepMs(PAUSE_MS)
    return false
  }
}

async function killAndStart(index: number): Promise<void> {
  const killed = gateways[index]
  await killed?.kill()
  gateways[index] = await start()
}

async function stallMs(): Promise<void> {
  await setScenario(lab, LANE, 'status-503')
  await sleepMs(STALLED_MS)
  await setScenario(lab, LANE, '')
}

/** Runs its work once, when the condition first holds. */
function once(hasCome: () => boolean, work: () => Promise<void>) {
  let started: Promise<void> | undefined
  return {
    check() {
      if (!started && hasCome()) started = work()
    },
    done: () => started ?? Promise.reject(new Error('the moment never came')),
  }
}

async function isQuiet(db: Database): Promise<boolean> {
  const task = await db.selectFrom('tasks').select('id').where('due_ms', 'is not', null).executeTakeFirst()
  const hold = task ?? (await db.selectFrom('holds').select('request_id').executeTakeFirst())
  if (hold) await sleepMs(200)
  return hold === undefined
}

async function inLedger<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const { db, close } = openDatabase({ url: postgres.url, durability: 'process' })
  try {
    return await work(db)
  } finally {
    await close()
  }
}
