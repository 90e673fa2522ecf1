import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sleepMs } from '#server/core/clock.ts'
import { type ChatResult, errorOf, requestIdOf } from '../harness/call-chat.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { respondsOk, startGateway } from '../harness/start-gateway.ts'
import { startTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { createFaultSetup, type FaultSetup, HELD, LAB, PRICE } from './fault-setup.ts'

const WAIT_MS_MAX = 90_000
const CALLS = 20
const SLOW_MS = 40
/** Time in which a token is looked up. */
const LOOKED_UP_MS = 1_000
const REJECTED_MS_MAX = 12_000
const STOP_MS_MAX = 25_000
/** Above the 20 s limit of a connection and below a lease, so that no other process considers this one dead. */
const GIVEN_UP_MS_MAX = 28_000
const SECRET_KEY = 'the secret key of two gateways'

let database: PostgresDatabase
let http1Server: TcpProxy
let stage: FaultSetup

beforeAll(async () => {
  database = await openPostgres()
  const url = new URL(database.url)
  http1Server = await startTcpProxy(Number(url.port || 5432))
  url.port = String(http1Server.port)
  url.hostname = '127.0.0.1'
  stage = await createFaultSetup({ environment: { DATABASE_URL: url.href, WORKERS: '1', SECRET_KEY } })
})

afterAll(async () => {
  http1Server?.thaw()
  await stage?.stop()
  await http1Server?.stop()
  await database?.stop()
})

const readiness = () => respondsOk(`${stage.site.gateway.url}/readyz`)
async function post(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: BodyInit,
): Promise<ChatResult> {
  const response = await fetch(`${stage.site.gateway.url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, requestId: requestIdOf(response), text: await response.text() }
}

const BODY = JSON.stringify({ model: LAB, messages: [{ role: 'user', content: 'hello' }] })

/** Sends a chat request as the console does. */
function askInPlayground(): Promise<ChatResult> {
  const { cookie, userId } = stage.site.root
  return post('/pg/chat/completions', { cookie, 'new-api-user': String(userId) }, BODY)
}

/** The caller is authenticated before the second half of the body is sent. */
function askInTwoHalves(between: () => void): Promise<ChatResult> {
  const body = new ReadableStream({
    async start(sending) {
      sending.enqueue(new TextEncoder().encode(BODY.slice(0, 20)))
      await sleepMs(LOOKED_UP_MS)
      between()
      sending.enqueue(new TextEncoder().encode(BODY.slice(20)))
      sending.close()
    },
  })
  return post('/v1/chat/completions', { authorization: `Bearer sk-${stage.key}` }, body)
}

const untilLedgerBalances = () =>
  waitUntil({ description: 'the holds to be given back', timeoutMs: WAIT_MS_MAX }, () =>
    stage.expectBalancedLedger().then(
      () => true,
      () => false,
    ),
  )

const untilServed = () =>
  waitUntil({ description: 'a request to be served', timeoutMs: WAIT_MS_MAX }, async () => {
    return (await stage.ask(LAB)).status === 200
  })
const untilReady = () => waitUntil({ description: '/readyz to be green', timeoutMs: WAIT_MS_MAX }, readiness)

function expectRejected(response: ChatResult): void {
  const { code, message } = errorOf(response)
  expect([response.status, code]).toEqual([503, 'storage_failed'])
  expect(message).toContain('nothing was charged')
}

/** Starts requests and waits until the upstream holds all of them. */
async function inFlight(count: number) {
  const held = stage.upstream.holdResponses()
  const responses = Array.from({ length: count }, () => stage.ask(HELD))
  await waitUntil(
    { description: `${count} calls at the provider`, timeoutMs: WAIT_MS_MAX },
    () => held.count() === count,
  )
  return { responses, letGo: held.release }
}

test('while the database is unreachable, rejects new requests and completes active ones once it is back', async () => {
  const before = await stage.charged()
  const { responses, letGo } = await inFlight(CALLS)
  await http1Server.cut()
  expectRejected(await stage.ask(LAB))
  expectRejected(await stage.ask(LAB, { isStream: true }))
  expectRejected(await askInPlayground())
  expect(await readiness()).toBe(false)
  await http1Server.mend()
  await untilReady()
  letGo()
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 200))
  expect(await stage.charged()).toBe(before + CALLS * PRICE)
  await stage.expectBalancedLedger()
})

test('withholds a response that cannot be charged and releases its hold once the database is back', async () => {
  const before = await stage.charged()
  const { responses, letGo } = await inFlight(2)
  await http1Server.cut()
  letGo()
  for (const response of await Promise.all(responses)) expectRejected(response)
  await http1Server.mend()
  await untilServed()
  await untilLedgerBalances()
  expect(await stage.charged()).toBe(before + PRICE)
})

test('completes active requests when the database server closes all connections', async () => {
  const before = await stage.charged()
  const { responses, letGo } = await inFlight(CALLS)
  const server = new SQL(database.url, { max: 1 })
  await server`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await server.close()
  letGo()
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 200))
  expect(await stage.charged()).toBe(before + CALLS * PRICE)
  await untilServed()
  await stage.expectBalancedLedger()
})

test('a slow database only delays responses', async () => {
  const before = await stage.charged()
  http1Server.slowDown(SLOW_MS)
  const responses = await Promise.all(
    Array.from({ length: CALLS }, (_, index) => stage.ask(LAB, { isStream: index % 2 === 0 })),
  )
  http1Server.slowDown(0)
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  expect(await stage.charged()).toBe(before + CALLS * PRICE)
  await stage.expectBalancedLedger()
})

test('stops waiting for a stalled database and serves requests once it responds', async () => {
  const before = await stage.charged()
  http1Server.freeze()
  for (const response of await Promise.all([stage.ask(LAB), askInPlayground()])) expectRejected(response)
  expect(await readiness()).toBe(false)
  http1Server.thaw()
  await untilServed()
  await untilReady()
  expect(await stage.charged()).toBeGreaterThanOrEqual(before + PRICE)
  await stage.expectBalancedLedger()
})

test('stops waiting for a database that stalls after authentication and releases the holds', async () => {
  const before = await stage.charged()
  let frozenAtMs = 0
  const response = await askInTwoHalves(() => {
    http1Server.freeze()
    frozenAtMs = performance.now()
  })
  expectRejected(response)
  expect(performance.now() - frozenAtMs).toBeLessThan(REJECTED_MS_MAX)
  http1Server.thaw()
  await untilLedgerBalances()
  expect(await stage.charged()).toBe(before)
  await untilServed()
})

test('abandons dead connections within 25 s and completes active requests over new ones', async () => {
  const before = await stage.charged()
  const { responses, letGo } = await inFlight(CALLS)
  http1Server.strand()
  letGo()
  const strandedAtMs = performance.now()
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual(responses.map(() => 200))
  await untilServed()
  expect(performance.now() - strandedAtMs).toBeLessThan(GIVEN_UP_MS_MAX)
  await untilReady()
  expect(await stage.charged()).toBe(before + (CALLS + 1) * PRICE)
  await stage.expectBalancedLedger()
}, 240_000)

test('a process stops on request even while the database is stalled', async () => {
  const { databaseUrl: url = '' } = stage.site.gateway
  const leaving = await startGateway({ environment: { DATABASE_URL: url, WORKERS: '1', SECRET_KEY } })
  http1Server.freeze()
  const startedMs = performance.now()
  expect(await leaving.stop()).toBe(1)
  expect(performance.now() - startedMs).toBeLessThan(STOP_MS_MAX)
  http1Server.thaw()
  await untilServed()
})

test('writes few log lines during database failures', () => {
  const lines = stage.site.gateway
    .output()
    .split('\n')
    .filter(line => line.includes('"level":"error"'))
  const count = (message: string) => lines.filter(line => line.includes(message)).length
  expect(count('callers could not be looked up')).toBeLessThan(5)
  expect(count('the ledger could not be written')).toBeLessThan(5)
  expect(count('a request failed unexpectedly')).toBe(0)
})
