import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sleepMs } from '#server/core/clock.ts'
import { listHoldProcessIds } from '#server/db/billing/holds.ts'
import { openDatabase } from '#server/db/engine/database.ts'
import { type ChatResult, callChat, isCompleteStream } from '../harness/call-chat.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { readNamespace, waitUntilIdle } from '../harness/lab-namespace.ts'
import { openPostgres } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, respondsOk, startGateway } from '../harness/start-gateway.ts'
import { type Lab, startLab } from '../harness/start-lab.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../harness/temporary-folder.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'stopped'
const STREAMS = 24
const ARRIVAL_TIMEOUT_MS = 60_000
/** A stopping gateway gives active responses 30 s. The holds of a dead gateway are released after the same time. */
const LONG_TEST_MS = 180_000
const RELEASE_TIMEOUT_MS = 120_000
const IDLE_STOP_MS_MAX = 2_000
/** Time after which every process has read a change made by another. */
const NEWS_MS = 1_500
/** Time after which the exit of a worker is noticed. A replacement starts a second later. */
const NOTICED_MS = 300
const SECRET_KEY = 'the secret key of two gateways'

let lab: Lab
const folders: TemporaryFolder[] = []

beforeAll(async () => {
  lab = await startLab()
})
afterAll(async () => {
  await lab?.stop()
  for (const folder of folders) folder.remove()
})

function newFolder(): string {
  const folder = makeTemporaryFolder()
  folders.push(folder)
  return folder.path
}

/** Prices the model, adds a channel in a namespace of the lab and returns a token's key. */
async function prepare(gateway: RunningGateway, namespace: string): Promise<string> {
  const root = await gateway.signInAsRoot()
  await setOptions(root, { ModelRatio: { [MODEL]: 3 } })
  await addLabChannel(root, lab, { provider: 'openai', models: [MODEL], namespace })
  return (await addToken(root)).key
}

const askStream = ({ url }: RunningGateway, key: string, script: string): Promise<ChatResult> => {
  const messages = [{ role: 'user', content: `hello [lab: ${script}]` }]
  return callChat({ url, key, body: { model: MODEL, stream: true, messages } })
}

const arrived = (lane: string, count: number) =>
  waitUntil({ description: `${count} calls on lane ${lane}`, timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    const { inFlight } = await readNamespace(lab, lane)
    return inFlight >= count
  })

/** Waits until the live gateways have released the holds of the dead. */
async function untilNothingHeld(url: string): Promise<void> {
  const { db, close } = openDatabase({ url, durability: 'process' })
  await waitUntil({ description: 'all holds to be given back', timeoutMs: RELEASE_TIMEOUT_MS }, async () => {
    return (await listHoldProcessIds(db)).length === 0
  })
  await close()
}

test('on shutdown, completes active streams, accepts no new ones and exits with 0', async () => {
  const dataDir = newFolder()
  const gateway = await startGateway({ dataDir })
  const key = await prepare(gateway, 'drain')
  const streams = Array.from({ length: STREAMS }, () => askStream(gateway, key, 'pace-20+tokens-60'))
  await arrived('drain', STREAMS)
  const stopping = gateway.stop()
  await waitUntil({ description: 'the door to close', timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    return !(await respondsOk(`${gateway.url}/readyz`))
  })
  const responses = await Promise.all(streams)
  expect(responses.filter(isCompleteStream)).toHaveLength(STREAMS)
  expect(await stopping).toBe(0)
  expect(await verifyLedger({ DATA_DIR: dataDir })).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  expect(await chargedRows(dataDir)).toEqual(Array.from({ length: STREAMS }, () => 60))
})

test('stops at once when idle', async () => {
  const gateway = await startGateway()
  await gateway.signInAsRoot()
  const startedMs = performance.now()
  expect(await gateway.stop()).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(IDLE_STOP_MS_MAX)
})

test.concurrent(
  'on shutdown, cuts off an endless response after 30 s, charges what was delivered and exits with 0',
  async () => {
    const dataDir = newFolder()
    const gateway = await startGateway({ dataDir })
    const key = await prepare(gateway, 'stall')
    const stream = askStream(gateway, key, 'stall-12').catch(() => 'cut off')
    await arrived('stall', 1)
    expect(await gateway.stop()).toBe(0)
    await stream
    expect(await waitUntilIdle(lab, 'stall')).toMatchObject({ requests: 1, finished: 0 })
    expect(await verifyLedger({ DATA_DIR: dataDir })).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
    expect((await chargedRows(dataDir)).map(tokens => tokens > 0)).toEqual([true])
  },
  LONG_TEST_MS,
)

test.concurrent(
  'the live gateway releases the holds of a killed one',
  async () => {
    const postgres = await openPostgres()
    const environment = { DATABASE_URL: postgres.url, WORKERS: '1', SECRET_KEY }
    const [first, second] = [await startGateway({ environment }), await startGateway({ environment })]
    const key = await prepare(first, 'lease')
    const streams = Array.from({ length: STREAMS }, () =>
      askStream(first, key, 'stall-3').catch(() => 'killed'),
    )
    await arrived('lease', STREAMS)
    await first.kill()
    await Promise.all(streams)
    const audit = { ...environment, DATA_DIR: second.dataDir }
    expect(await verifyLedger(audit)).toMatchObject({ code: 0, openHolds: STREAMS })
    await untilNothingHeld(postgres.url)
    expect(await verifyLedger(audit)).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
    expect(await second.stop()).toBe(0)
    await postgres.stop()
  },
  LONG_TEST_MS,
)

test.concurrent(
  'a gateway paused beyond its lease completes its response, and the wallet pays for it',
  async () => {
    const postgres = await openPostgres()
    const environment = { DATABASE_URL: postgres.url, WORKERS: '1', SECRET_KEY }
    const [first, second] = [await startGateway({ environment }), await startGateway({ environment })]
    const key = await prepare(first, 'paused')
    const stream = askStream(first, key, 'pace-20+tokens-60')
    await arrived('paused', 1)
    process.kill(first.pid, 'SIGSTOP')
    const audit = { ...environment, DATA_DIR: second.dataDir }
    await untilNothingHeld(postgres.url)
    process.kill(first.pid, 'SIGCONT')
    expect(isCompleteStream(await stream)).toBe(true)
    expect(await verifyLedger(audit)).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
    await Promise.all([first.stop(), second.stop()])
    expect(first.output()).toContain('found its hold gone and charged the wallet')
    await postgres.stop()
  },
  LONG_TEST_MS,
)

test('several workers share a port, stop together and exit with 0', async () => {
  const postgres = await openPostgres()
  const environment = { DATABASE_URL: postgres.url, WORKERS: '2', SECRET_KEY }
  const gateway = await startGateway({ environment })
  const key = await prepare(gateway, 'workers')
  await sleepMs(NEWS_MS)
  const streams = Array.from({ length: STREAMS }, () => askStream(gateway, key, 'pace-20+tokens-60'))
  await arrived('workers', STREAMS)
  const code = await gateway.stop()
  expect((await Promise.all(streams)).filter(isCompleteStream)).toHaveLength(STREAMS)
  expect(code).toBe(0)
  const audit = await verifyLedger({ ...environment, DATA_DIR: gateway.dataDir })
  expect(audit).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  await postgres.stop()
})

test('stops without a replacement when a worker was killed just before', async () => {
  const postgres = await openPostgres()
  const environment = { DATABASE_URL: postgres.url, WORKERS: '2', SECRET_KEY }
  const gateway = await startGateway({ environment })
  await setOptions(await gateway.signInAsRoot(), { MetricsOpenEnabled: 'true' })
  const figures = await (await fetch(`${gateway.url}/metrics`)).text()
  process.kill(Number(/process="(\d+)"/.exec(figures)?.[1]), 'SIGKILL')
  await sleepMs(NOTICED_MS)
  const startedMs = performance.now()
  await gateway.stop()
  expect(performance.now() - startedMs).toBeLessThan(IDLE_STOP_MS_MAX)
  await postgres.stop()
})

test('workers whose parent was killed complete their requests, stop and free the port', async () => {
  const postgres = await openPostgres()
  const environment = { DATABASE_URL: postgres.url, WORKERS: '2', SECRET_KEY }
  const gateway = await startGateway({ environment })
  const key = await prepare(gateway, 'orphans')
  await sleepMs(NEWS_MS)
  const streams = Array.from({ length: STREAMS }, () => askStream(gateway, key, 'pace-20+tokens-60'))
  await arrived('orphans', STREAMS)
  await gateway.kill()
  expect((await Promise.all(streams)).filter(isCompleteStream)).toHaveLength(STREAMS)
  await waitUntil({ description: 'the port to be free', timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    return !(await respondsOk(`${gateway.url}/healthz`))
  })
  const audit = { ...environment, DATA_DIR: gateway.dataDir }
  await waitUntil({ description: 'the end of the workers', timeoutMs: ARRIVAL_TIMEOUT_MS }, async () => {
    const left = await inDatabase(gateway, db => db.selectFrom('processes').select('id').execute())
    return left.length === 0
  })
  expect(await verifyLedger(audit)).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
  await postgres.stop()
})

/** Output tokens of each charged row. */
const chargedRows = (dataDir: string): Promise<number[]> =>
  inDatabase({ dataDir }, async db => {
    const rows = await db
      .selectFrom('logs')
      .select('completion_tokens')
      .where('type', '=', 2)
      .where('quota', '>', 0)
      .execute()
    return rows.map(row => row.completion_tokens)
  })
