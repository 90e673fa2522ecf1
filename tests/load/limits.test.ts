import { afterAll, beforeAll, expect, test } from 'bun:test'
import { nowMs, sleepMs } from '#server/core/clock.ts'
import chat from '#server/lab/openai/fixtures/chat.json'
import { type ChatResult, callChat, errorOf } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { startUpstream } from '../harness/start-upstream.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const REQUESTS = 60
const LIMIT = 10
const [OPEN, NARROW, RARE] = ['without-limits', 'few-at-once', 'few-a-minute'] as const
const TIMEOUT_MS = 30_000
/** Time after which the processes know each other and have read each other's changes. */
const ACQUAINTED_MS = 7_000
const NEWS_MS = 1_500
const MINUTE_MS = 60_000
const NEEDED_MS = 20_000

const upstream = startUpstream()
upstream.respondWith(JSON.stringify(chat), 'application/json')

let postgres: PostgresDatabase
let environment: Readonly<Record<string, string>>
let site: Site
let second: RunningGateway

beforeAll(async () => {
  postgres = await openPostgres()
  environment = {
    DATABASE_URL: postgres.url,
    WORKERS: '1',
    SECRET_KEY: 'the secret key of two gateways',
  }
  site = await startSite({ environment })
  second = await startGateway({ environment })
  await addChannel(OPEN, {})
  await addChannel(NARROW, { max_concurrency: LIMIT })
  await addChannel(RARE, { requests_per_minute: LIMIT })
  await setOptions(site.root, { ModelPrice: { [OPEN]: 0.001, [NARROW]: 0.001, [RARE]: 0.001 } })
  await sleepMs(ACQUAINTED_MS)
})

afterAll(async () => {
  await Promise.all([site?.stop(), second?.stop(), upstream.stop()])
  await postgres?.stop()
})

const addChannel = (model: string, setting: Readonly<Record<string, number>>) =>
  addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: [model],
    draft: { base_url: upstream.url, setting: JSON.stringify(setting) },
  })

interface Load {
  readonly model?: string
  /** Keys used in turn. */
  readonly keys: readonly string[]
}

/** Calls both gateways at once and returns the served calls. No response comes before each call is rejected or in flight. */
async function served({ model = OPEN, keys }: Load): Promise<number> {
  const waiting = upstream.holdResponses()
  const responses: ChatResult[] = []
  const requested = Array.from({ length: REQUESTS }, async (_, index) => {
    const { url } = index % 2 === 0 ? site.gateway : second
    const key = keys[(index >> 1) % keys.length] ?? ''
    responses.push(
      await callChat({ url, key, body: { model, messages: [{ role: 'user', content: 'hello' }] } }),
    )
  })
  const decided = () => responses.length + waiting.count() === REQUESTS
  await waitUntil({ description: 'each call to be refused or under way', timeoutMs: TIMEOUT_MS }, decided)
  waiting.release()
  await Promise.all(requested)
  const rejected = responses.filter(({ status }) => status !== 200)
  expect(new Set(rejected.map(response => `${response.status} ${errorOf(response).code}`))).toEqual(
    new Set(['429 too_many_requests']),
  )
  return REQUESTS - rejected.length
}

/** Waits for the next clock minute when too little of the current one is left. */
async function withinOneMinute(): Promise<void> {
  const leftMs = MINUTE_MS - (nowMs() % MINUTE_MS)
  if (leftMs < NEEDED_MS) await sleepMs(leftMs + 1)
}

const newKey = async (draft: Parameters<typeof addToken>[1] = {}) => (await addToken(site.root, draft)).key

async function withOptions(options: Parameters<typeof setOptions>[1]): Promise<void> {
  await setOptions(site.root, options)
  await sleepMs(NEWS_MS)
}

test(`a channel limited to ${LIMIT} concurrent requests serves ${LIMIT} of ${REQUESTS} over two processes`, async () => {
  const keys = [await newKey()]
  expect(await served({ model: NARROW, keys })).toBe(LIMIT)
  expect(await served({ model: NARROW, keys })).toBe(LIMIT)
})

test(`a channel limited to ${LIMIT} requests per minute serves ${LIMIT} of ${REQUESTS} over two processes`, async () => {
  const keys = [await newKey()]
  await withinOneMinute()
  expect(await served({ model: RARE, keys })).toBe(LIMIT)
})

test(`a token limited to ${LIMIT} concurrent requests serves ${LIMIT} of ${REQUESTS} over two processes`, async () => {
  const keys = [await newKey({ max_concurrency: LIMIT })]
  expect(await served({ keys })).toBe(LIMIT)
  expect(await served({ keys })).toBe(LIMIT)
})

test(`a token limited to ${LIMIT} requests per minute serves ${LIMIT} of ${REQUESTS} over two processes`, async () => {
  const keys = [await newKey({ requests_per_minute: LIMIT })]
  expect(await served({ keys })).toBe(LIMIT)
})

test(`a user limited to ${LIMIT} concurrent requests over all tokens has ${LIMIT} of ${REQUESTS} served over two processes`, async () => {
  const keys = [await newKey(), await newKey()]
  await withOptions({ UserConcurrencyLimit: LIMIT })
  expect(await served({ keys })).toBe(LIMIT)
  expect(await served({ keys })).toBe(LIMIT)
  await withOptions({ UserConcurrencyLimit: 0 })
})

test.each(['ModelRequestRateLimitSuccessCount', 'ModelRequestRateLimitCount'] as const)(
  `a user limited to ${LIMIT} per window (%s) over all tokens has ${LIMIT} of ${REQUESTS} served over two processes`,
  async option => {
    const keys = [await newKey(), await newKey()]
    const any = { ModelRequestRateLimitCount: 0, ModelRequestRateLimitSuccessCount: 1_000 }
    await withOptions({ ModelRequestRateLimitEnabled: true, ...any, [option]: LIMIT })
    expect(await served({ keys })).toBe(LIMIT)
    await withOptions({ ModelRequestRateLimitEnabled: false, ...any })
  },
)

test('leaves a balanced ledger without open holds', async () => {
  const audit = await verifyLedger({ ...environment, DATA_DIR: site.gateway.dataDir })
  expect(audit).toMatchObject({ code: 0, drift: 0, openHolds: 0 })
})
