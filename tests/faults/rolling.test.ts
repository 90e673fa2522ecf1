import { afterEach, beforeEach, expect, test } from 'bun:test'
import { everyMs, sleepMs } from '#server/core/clock.ts'
import { type ChatResult, isCompleteStream } from '../harness/call-chat.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import {
  type GatewayOptions,
  type RunningGateway,
  respondsOk,
  startGateway,
} from '../harness/start-gateway.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { createFaultSetup, type FaultSetup, LAB, PRICE } from './fault-setup.ts'

const CLIENTS = 16
const WORKERS = 2
const WAIT_MS_MAX = 90_000
/** Responses between two steps, so that each step happens under load. */
const RESPONSES_BETWEEN = 40
/** Interval of the load balancer's readiness checks. */
const LOOK_MS = 100
/** Time after which every process has read a change made by another. */
const NEWS_MS = 1_500
const SCRIPT = 'pace-3+tokens-10'

let database: PostgresDatabase
let stage: FaultSetup
let gateways: RunningGateway[]
let responses: ChatResult[]

beforeEach(async () => {
  database = await openPostgres()
  responses = []
})
afterEach(async () => {
  await Promise.all(gateways.map(gateway => gateway.stop()))
  await stage?.stop()
  await database?.stop()
})

async function start(environment: Readonly<Record<string, string>>): Promise<GatewayOptions> {
  const shared = { DATABASE_URL: database.url, SECRET_KEY: 'the secret key of two gateways' }
  const options = { environment: { ...shared, ...environment } }
  stage = await createFaultSetup(options)
  gateways = [stage.site.gateway]
  return options
}

const untilMoreResponses = () => {
  const requested = responses.length + RESPONSES_BETWEEN
  return waitUntil(
    { description: 'more answers', timeoutMs: WAIT_MS_MAX },
    () => responses.length >= requested,
  )
}

/** Clients that keep sending requests to the gateway that `choose` returns. The returned function stops them. */
function startClients(choose: (call: number) => RunningGateway | undefined): () => Promise<unknown> {
  const stopping = new AbortController()
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    for (let call = index; !stopping.signal.aborted; call += 1) {
      const gateway = choose(call)
      if (gateway) responses.push(await stage.ask(LAB, { gateway, isStream: call % 2 === 0, script: SCRIPT }))
      else await sleepMs(LOOK_MS)
    }
  })
  return () => {
    stopping.abort()
    return Promise.all(clients)
  }
}

/** Polls `/readyz` and distributes requests over ready gateways, as load balancers do. */
function openBalancer() {
  let ready = [...gateways]
  const stop = everyMs(LOOK_MS, async () => {
    const looked = [...gateways]
    const isReady = await Promise.all(looked.map(({ url }) => respondsOk(`${url}/readyz`)))
    ready = looked.filter((_, index) => isReady[index])
  })
  return { choose: (call: number) => ready[call % ready.length], stop }
}

async function expectNothingLost(before: number): Promise<void> {
  const lost = responses.filter(response => response.status !== 200 || !isServed(response))
  expect(lost).toEqual([])
  expect(await stage.charged()).toBe(before + responses.length * PRICE)
  await stage.expectBalancedLedger()
}

const isServed = (response: ChatResult): boolean =>
  response.text.startsWith('data: ')
    ? isCompleteStream(response)
    : JSON.parse(response.text).choices.length === 1

test('a rolling restart of two processes under load loses no request and charges each once', async () => {
  const options = await start({ WORKERS: '1' })
  gateways.push(await startGateway(options))
  const before = await stage.charged()
  const balancer = openBalancer()
  const stopClients = startClients(balancer.choose)
  for (const [index, old] of [...gateways].entries()) {
    await untilMoreResponses()
    expect(await old.stop()).toBe(0)
    await untilMoreResponses()
    gateways[index] = await startGateway({ ...options, port: Number(new URL(old.url).port) })
  }
  await untilMoreResponses()
  await stopClients()
  await balancer.stop()
  await expectNothingLost(before)
})

test('replacing the workers of a port under load loses and rejects no request', async () => {
  const options = await start({ WORKERS: String(WORKERS) })
  const before = await stage.charged()
  const [old] = gateways
  await sleepMs(NEWS_MS)
  const stopClients = startClients(() => old)
  await untilMoreResponses()
  const port = Number(new URL(String(old?.url)).port)
  const fresh = await startGateway({ ...options, port })
  gateways.push(fresh)
  await waitUntil(
    { description: 'all new workers', timeoutMs: WAIT_MS_MAX },
    () => listening(fresh) === WORKERS,
  )
  await untilMoreResponses()
  expect(await old?.stop()).toBe(0)
  await untilMoreResponses()
  await stopClients()
  await expectNothingLost(before)
})

const listening = (gateway: RunningGateway): number =>
  gateway.output().split('Tollgate is running at').length - 1
