import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { type ChatAnswer, errorOf } from '../harness/call-chat.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { answersOk } from '../harness/start-gateway.ts'
import { startWire, type Wire } from '../harness/start-wire.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { HELD, LAB, openStage, PRICE, type Stage } from './open-stage.ts'

const WAIT_MS_MAX = 30_000
const CALLS = 20
const SLOW_MS = 40

let database: PostgresDatabase
let wire: Wire
let stage: Stage

beforeAll(async () => {
  database = await openPostgres()
  const url = new URL(database.url)
  wire = await startWire(Number(url.port || 5432))
  url.port = String(wire.port)
  url.hostname = '127.0.0.1'
  stage = await openStage({ environment: { DATABASE_URL: url.href, WORKERS: '1' } })
})

afterAll(async () => {
  wire?.thaw()
  await stage?.stop()
  await wire?.stop()
  await database?.stop()
})

const readiness = () => answersOk(`${stage.site.gateway.url}/readyz`)
const untilServed = () =>
  waitUntil({ what: 'a request to be served', timeoutMs: WAIT_MS_MAX }, async () => {
    return (await stage.ask(LAB)).status === 200
  })
const untilReady = () => waitUntil({ what: '/readyz to be green', timeoutMs: WAIT_MS_MAX }, readiness)

function expectRefused(answer: ChatAnswer): void {
  const { code, message } = errorOf(answer)
  expect([answer.status, code]).toEqual([503, 'storage_failed'])
  expect(message).toContain('nothing was charged')
}

/** Requests that have reached their vendor and wait there. */
async function underWay(count: number) {
  const held = stage.upstream.holdBack()
  const answers = Array.from({ length: count }, () => stage.ask(HELD))
  await waitUntil(
    { what: `${count} calls at the vendor`, timeoutMs: WAIT_MS_MAX },
    () => held.count() === count,
  )
  return { answers, letGo: held.letGo }
}

test('while the database is gone requests are refused in words; who was under way is served and charged when it is back', async () => {
  const before = await stage.charged()
  const { answers, letGo } = await underWay(CALLS)
  await wire.cut()
  expectRefused(await stage.ask(LAB))
  expectRefused(await stage.ask(LAB, { isStream: true }))
  expect(await readiness()).toBe(false)
  await wire.mend()
  await untilReady()
  letGo()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await stage.charged()).toBe(before + CALLS * PRICE)
  await stage.expectSoundBooks()
})

test('an answer that cannot be charged for long is withheld, and its hold is given back when the database is back', async () => {
  const before = await stage.charged()
  const { answers, letGo } = await underWay(2)
  await wire.cut()
  letGo()
  for (const answer of await Promise.all(answers)) expectRefused(answer)
  await wire.mend()
  await untilServed()
  await waitUntil({ what: 'the holds to be given back', timeoutMs: WAIT_MS_MAX }, async () => {
    return stage.expectSoundBooks().then(
      () => true,
      () => false,
    )
  })
  expect(await stage.charged()).toBe(before + PRICE)
})

test('when the server ends all connections nobody under way notices', async () => {
  const before = await stage.charged()
  const { answers, letGo } = await underWay(CALLS)
  const server = new SQL(database.url, { max: 1 })
  await server`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await server.close()
  letGo()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await stage.charged()).toBe(before + CALLS * PRICE)
  await untilServed()
  await stage.expectSoundBooks()
})

test('a slow database makes answers late and nothing else', async () => {
  const before = await stage.charged()
  wire.slowDown(SLOW_MS)
  const answers = await Promise.all(
    Array.from({ length: CALLS }, (_, index) => stage.ask(LAB, { isStream: index % 2 === 0 })),
  )
  wire.slowDown(0)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(await stage.charged()).toBe(before + CALLS * PRICE)
  await stage.expectSoundBooks()
})

test('a database that falls silent is not waited for without end, and requests are served when it speaks again', async () => {
  const before = await stage.charged()
  wire.freeze()
  expectRefused(await stage.ask(LAB))
  wire.thaw()
  await untilServed()
  await untilReady()
  expect(await stage.charged()).toBeGreaterThanOrEqual(before + PRICE)
  await stage.expectSoundBooks()
})

test('all of that left few lines in the log', () => {
  const lines = stage.site.gateway
    .output()
    .split('\n')
    .filter(line => line.includes('"level":"error"'))
  const count = (message: string) => lines.filter(line => line.includes(message)).length
  expect(count('callers could not be looked up')).toBeLessThan(5)
  expect(count('the books could not be written')).toBeLessThan(5)
  expect(count('a request failed unexpectedly')).toBe(0)
})
