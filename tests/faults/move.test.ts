import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { elapsedMs } from '#server/core/clock.ts'
import { type ChatResult, isCompleteStream } from '../harness/call-chat.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { runTollgate } from '../harness/program.ts'
import type { GatewayOptions, RunningGateway } from '../harness/start-gateway.ts'
import { startGateway } from '../harness/start-gateway.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { createFaultSetup, type FaultSetup, LAB, PRICE } from './fault-setup.ts'

const CLIENTS = 16
const WORKERS = 2
const WAIT_MS_MAX = 60_000
/** Only ends a test that hangs: a busy machine takes several times as long as a quiet one. */
const TEST_MS_MAX = 400_000
const PAUSE_MS_MAX = 2000
const RESPONSES_BETWEEN = 60
const SECRET_KEY = 'the secret key of a gateway that moves'
const QUICK = 'tokens-3'
/** A stream of about a second, so that many are in progress at the switch. */
const SLOW = 'pace-40+tokens-20'
const PAUSE = /Requests waited for (\d+) ms/

let database: PostgresDatabase
let stage: FaultSetup
let responses: ChatResult[]
let longestMs: number

beforeEach(async () => {
  database = await openPostgres()
  responses = []
  longestMs = 0
})
afterEach(async () => {
  await stage?.stop()
  await database?.stop()
})

const untilMoreResponses = (count = RESPONSES_BETWEEN) => {
  const requested = responses.length + count
  return waitUntil(
    { description: 'more answers', timeoutMs: WAIT_MS_MAX },
    () => responses.length >= requested,
  )
}

/** Whole responses and streams, some of which last longer than the switch. The returned function stops the clients. */
function startClients(gateway: RunningGateway): () => Promise<unknown> {
  const stopping = new AbortController()
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    for (let call = index; !stopping.signal.aborted; call += 1) {
      const isStream = call % 2 === 0
      const isSlow = call % 4 === 0
      const startedMs = elapsedMs()
      responses.push(await stage.ask(LAB, { gateway, isStream, script: isSlow ? SLOW : QUICK }))
      if (!isSlow) longestMs = Math.max(longestMs, elapsedMs() - startedMs)
    }
  })
  return () => {
    stopping.abort()
    return Promise.all(clients)
  }
}

const isServed = (response: ChatResult): boolean =>
  response.text.startsWith('data: ')
    ? isCompleteStream(response)
    : JSON.parse(response.text).choices.length === 1

async function move(to: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const { code, output } = await runTollgate(['move', '--to', to], environment)
  expect({ code, output }).toMatchObject({ code: 0 })
  expect(output).toContain('The books of the new database balance.')
  expect(Number(PAUSE.exec(output)?.[1])).toBeLessThan(PAUSE_MS_MAX)
}

const expectBalanced = async (environment: Readonly<Record<string, string>>) =>
  expect(await verifyLedger(environment)).toMatchObject({ code: 0, drift: 0, openHolds: 0 })

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

test(
  'a database moves to PostgreSQL and back under load: no request is refused, lost or charged twice',
  async () => {
    const options: GatewayOptions = { environment: { SECRET_KEY } }
    stage = await createFaultSetup(options)
    const { gateway } = stage.site
    const embedded = { DATA_DIR: gateway.dataDir, SECRET_KEY }
    const server = { ...embedded, DATABASE_URL: database.url }
    const before = await stage.charged()
    const stopClients = startClients(gateway)
    await untilMoreResponses()
    await move(database.url, embedded)
    await untilMoreResponses()
    const back = join(gateway.dataDir, 'tollgate.db')
    await move(back, server)
    await untilMoreResponses()
    await stopClients()

    expect(responses.filter(response => response.status !== 200 || !isServed(response))).toEqual([])
    expect(longestMs).toBeLessThan(PAUSE_MS_MAX * 2)
    expect(await stage.charged()).toBe(before + responses.length * PRICE)
    await expectBalanced(embedded)
    await expect(startGateway({ dataDir: gateway.dataDir, environment: server })).rejects.toThrow(
      'this database was moved to',
    )
  },
  TEST_MS_MAX,
)

test(
  'two workers follow a move between two servers, and a worker that starts later begins at the new one',
  async () => {
    const other = await openPostgres()
    const environment = { SECRET_KEY, DATABASE_URL: database.url, WORKERS: String(WORKERS) }
    stage = await createFaultSetup({ environment })
    const { gateway } = stage.site
    const before = await stage.charged()
    const stopClients = startClients(gateway)
    await untilMoreResponses()
    const settings = { ...environment, DATA_DIR: gateway.dataDir }
    const file = join(gateway.dataDir, 'tollgate.db')
    expect(await runTollgate(['move', '--to', file], settings)).toMatchObject({
      code: 1,
      output: expect.stringContaining('2 processes serve, but only one can serve from a file'),
    })
    await move(other.url, settings)
    await untilMoreResponses()
    await stopClients()
    const [worker = 0] = childrenOf(gateway.pid)
    process.kill(worker, 'SIGKILL')
    await waitUntil(
      { description: 'a worker in its place', timeoutMs: WAIT_MS_MAX },
      () => gateway.output().split('Tollgate is running at').length - 1 > WORKERS,
    )
    responses.push(await stage.ask(LAB, { gateway }), await stage.ask(LAB, { gateway }))

    expect(responses.filter(response => response.status !== 200 || !isServed(response))).toEqual([])
    expect(await stage.charged()).toBe(before + responses.length * PRICE)
    await expectBalanced({ ...settings, DATABASE_URL: other.url })
    await gateway.stop()
    await other.stop()
  },
  TEST_MS_MAX,
)
