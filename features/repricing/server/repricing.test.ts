import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { noopLogger } from '#server/core/logger.ts'
import { NO_USAGE, type Usage } from '#server/core/usage.ts'
import { inTransaction, type OpenDatabase } from '#server/db/engine/database.ts'
import { insertRequestLogs, type LoggedRequest } from '#server/db/logs/log-writes.ts'
import { openTestDatabaseFile } from '#server/db/testing.ts'
import { calculateCharge } from '#server/pricing/charge.ts'
import { createPriceBook, type PriceBook } from '#server/pricing/price-book.ts'
import type { PriceOptions } from '#server/pricing/ratio-rules.ts'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import type { RepriceJob } from './reprice-logs.ts'
import { createRepricing, type Repricing } from './repricing.ts'

const OPTIONS: PriceOptions = {
  ModelRatio: { 'own-model': 0.0375, 'free-model': 0 },
  ModelPrice: { 'call-model': 0.0123 },
  CompletionRatio: { 'own-model': 7.3 },
  CacheRatio: { 'own-model': 0.125 },
  CreateCacheRatio: {},
  GroupRatio: { default: 1, vip: 0.85, guests: 1.3 },
  ModelPriceLists: { 'listed-model': { kind: 'chat', prices: { input: 0.3, output: 2.5 } } },
}
/** The catalogue has long prompts, tiers, searches and regions for these. */
const MODELS = [
  'gpt-5.5',
  'claude-sonnet-4-5',
  'gemini-2.5-pro',
  'gpt-4o',
  'own-model',
  'call-model',
  'free-model',
  'listed-model',
]
const GROUPS = ['default', 'vip', 'guests']
const TIERS = ['flex', 'priority', 'batch', 'fast']
const USERS = 7
const PERIOD = { from: 1000, until: 2000 }
const NO_LIMITS = { percent: 0, quota: 0 }
const FINISHED = { description: 'the end of the computation', timeoutMs: 20_000 }

let folder: ReturnType<typeof makeTemporaryFolder>
let database: OpenDatabase
let repricing: Repricing
beforeEach(async () => {
  folder = makeTemporaryFolder()
  database = await openTestDatabaseFile(folder.path)
  repricing = createRepricing(database, noopLogger)
})
afterEach(async () => {
  await repricing.stop()
  await database.close()
  folder.remove()
})

/** Numbers that are the same in each run. */
function randomNumbers(seed = 20_261_126) {
  let state = seed
  return (max: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * max)
  }
}

interface Made {
  readonly user: number
  readonly model: string
  readonly group: string
  readonly usage: Usage
}

function makeUsages(count: number): readonly Made[] {
  const random = randomNumbers()
  const sometimes = (share: number, max: number) => (random(share) === 0 ? random(max) : 0)
  return Array.from({ length: count }, () => ({
    user: random(USERS) + 1,
    model: MODELS[random(MODELS.length)] ?? '',
    group: GROUPS[random(GROUPS.length)] ?? '',
    usage: {
      ...NO_USAGE,
      input: random(4) === 0 ? random(600_000) : random(3000),
      cachedInput: sometimes(2, 50_000),
      cacheWrite: sometimes(3, 9000),
      cacheWriteHour: sometimes(5, 9000),
      audioInput: sometimes(9, 500),
      output: random(5000),
      reasoning: sometimes(2, 4000),
      webSearches: sometimes(4, 5),
      ...(random(3) === 0 && { serviceTier: TIERS[random(TIERS.length)] ?? '' }),
      ...(random(6) === 0 && { region: 'us' }),
      ...(random(9) === 0 && { toolCalls: { maps: 2 } }),
    },
  }))
}

const countsOf = ({ serviceTier, region, toolCalls, ...usage }: Usage) =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== 0))

/** As the relay writes receipts: tests/e2e and server/relay hold their shape. */
function toReceipt({ usage }: Made, more: object = {}): string {
  const { serviceTier, region, toolCalls, webSearches } = usage
  const hasExtras = serviceTier || region || toolCalls || webSearches > 0
  return JSON.stringify({
    ending: 'complete',
    provenance: 'upstream',
    use_ms: 12,
    frt_ms: null,
    model: { requested: ',"usage":{"input":9}},"lines":[', upstream: 'x' },
    dialect: 'openai',
    price: { model_ratio: 1 },
    usage: countsOf(usage),
    extra_usage: hasExtras
      ? {
          web_searches: webSearches || undefined,
          tool_calls: toolCalls,
          service_tier: serviceTier,
          region,
        }
      : undefined,
    lines: [],
    exact: '1',
    hold: 1,
    ...more,
  })
}

const chargeOf = (book: PriceBook, { model, group, usage }: Made): number =>
  calculateCharge(book.get({ model, group }), usage).amount

let requestCount = 0
const toLogged = (
  { user, model, group }: Pick<Made, 'user' | 'model' | 'group'>,
  quota: number,
  receipt: string,
  created_at = PERIOD.from,
): LoggedRequest => {
  requestCount += 1
  return {
    receipt,
    row: {
      request_id: `request-${requestCount}`,
      user_id: user,
      created_at,
      type: 2,
      username: `user-${user}`,
      token_id: 1,
      token_name: 'token',
      model_name: model,
      channel_id: 1,
      group,
      quota,
      prompt_tokens: 0,
      completion_tokens: 0,
      use_time: 0,
      is_stream: 0,
      content: '',
      error: '',
    },
  }
}

async function insert(requests: readonly LoggedRequest[]): Promise<void> {
  await inTransaction(database.db, tx => insertRequestLogs(tx, database.engine, requests))
}

async function reprice(options: PriceOptions, more: Partial<RepriceJob> = {}) {
  expect(repricing.start({ options, ...PERIOD, limits: NO_LIMITS, ...more })).toBe(true)
  await waitUntil(FINISHED, () => repricing.state().status !== 'running')
  const { status, result } = repricing.state()
  expect(status).toBe('done')
  if (!result) throw new Error('there is no result')
  return result
}

test('the prices that were charged give exactly no difference, also with tiers, long prompts, searches and regions', async () => {
  const table = createPriceBook(OPTIONS)
  const made = makeUsages(2500)
  await insert(made.map(one => toLogged(one, chargeOf(table, one), toReceipt(one))))
  const result = await reprice(OPTIONS)
  expect(result.requests).toBe(2500)
  expect(result.kept).toEqual([])
  expect(result.before).toBeGreaterThan(0)
  expect(result.after).toBe(result.before)
  for (const row of [...result.models, ...result.groups, ...result.users]) expect(row.after).toBe(row.before)
  expect(result.models).toHaveLength(MODELS.length)
})

test('other prices equal the charge of each request at them, by model, group and user', async () => {
  const made = makeUsages(1000)
  const draft: PriceOptions = {
    ...OPTIONS,
    ModelRatio: { ...OPTIONS.ModelRatio, 'gpt-4o': 3.3 },
    ModelPrice: { 'call-model': 0.5 },
    GroupRatio: { default: 1.1, vip: 0.7, guests: 1.3 },
  }
  const table = createPriceBook(draft)
  await insert(made.map(one => toLogged(one, chargeOf(createPriceBook(OPTIONS), one), toReceipt(one))))
  const result = await reprice(draft)
  const sum = (rows: readonly Made[]) => rows.reduce((total, one) => total + chargeOf(table, one), 0)
  expect(result.after).toBe(sum(made))
  expect(result.after).not.toBe(result.before)
  for (const { name, after } of result.models)
    expect(after).toBe(sum(made.filter(({ model }) => model === name)))
  for (const { name, after } of result.groups)
    expect(after).toBe(sum(made.filter(({ group }) => group === name)))
  for (const { id, after } of result.users) expect(after).toBe(sum(made.filter(({ user }) => user === id)))
  const differences = result.users.map(({ before, after }) => Math.abs(after - before))
  expect(differences).toEqual(differences.toSorted((a, b) => b - a))
})

test('requests that cannot be charged again keep their charge and are counted by reason', async () => {
  const [one] = makeUsages(1)
  if (!one) throw new Error('no usage was made')
  const own = { ...one, model: 'own-model', group: 'default' }
  await insert([
    toLogged(own, 11, JSON.stringify({ ending: 'complete', lines: [], exact: '11' })),
    toLogged({ ...own, model: 'a-model-without-a-price' }, 12, toReceipt(own)),
    toLogged({ ...own, group: 'gone' }, 13, toReceipt(own)),
    toLogged(own, 14, ''),
    toLogged(own, 0, toReceipt(own, { provenance: 'free' })),
    toLogged(own, 99, toReceipt(own), PERIOD.until),
  ])
  const result = await reprice(OPTIONS)
  expect(result).toMatchObject({ requests: 5, before: 50, after: 50 })
  expect(Object.fromEntries(result.kept.map(({ reason, quota }) => [reason, quota]))).toEqual({
    no_usage: 11,
    no_price: 12,
    no_group: 13,
    no_receipt: 14,
  })
})

test('users above a limit in percent or units are marked and come first', async () => {
  const usage = (input: number) => ({ ...NO_USAGE, input })
  const made = (user: number, model: string, input: number): Made => ({
    user,
    model,
    group: 'default',
    usage: usage(input),
  })
  const requests = [made(1, 'own-model', 1000), made(2, 'own-model', 9_000_000), made(3, 'gpt-4o', 1_000_000)]
  const table = createPriceBook(OPTIONS)
  await insert(requests.map(one => toLogged(one, chargeOf(table, one), toReceipt(one))))
  const draft = { ...OPTIONS, ModelRatio: { ...OPTIONS.ModelRatio, 'own-model': 0.075 } }
  const above = async (limits: RepriceJob['limits']) => {
    const { users, users_above } = await reprice(draft, { limits })
    expect(users.filter(user => user.is_above)).toHaveLength(users_above)
    return users.filter(user => user.is_above).map(({ id }) => id)
  }
  expect(await above({ percent: 50, quota: 0 })).toEqual([2, 1])
  expect(await above({ percent: 0, quota: 1000 })).toEqual([2])
  expect(await above({ percent: 100, quota: 0 })).toEqual([])
  expect(await above(NO_LIMITS)).toEqual([])
})

test('a computation is cancelled at once, and only one runs at a time', async () => {
  const job = { options: OPTIONS, ...PERIOD, limits: NO_LIMITS }
  expect(repricing.start(job)).toBe(true)
  expect(repricing.start(job)).toBe(false)
  await repricing.cancel()
  expect(repricing.state()).toMatchObject({ status: 'cancelled' })
  expect(repricing.state().result).toBeUndefined()
  await reprice(OPTIONS)
})

/** A gateway that computes with the database at this address until it is killed. */
const ABANDONED = `
  const { openDatabase } = await import(process.env.DATABASE_MODULE)
  const { createRepricing } = await import(process.env.REPRICING_MODULE)
  const database = openDatabase({ url: process.env.URL_OF_DATABASE, durability: 'process' })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  createRepricing(database, log).start(JSON.parse(process.env.JOB))
  process.stdout.write('started')
  setInterval(() => undefined, 1000)`

test('a computation that a restart interrupts leaves nothing behind, and the next one is complete', async () => {
  if (database.engine === 'postgres') return
  const table = createPriceBook(OPTIONS)
  const made = makeUsages(5000)
  await insert(made.map(one => toLogged(one, chargeOf(table, one), toReceipt(one))))
  const job = { options: OPTIONS, ...PERIOD, limits: NO_LIMITS }
  const gateway = Bun.spawn([process.execPath, '-e', ABANDONED], {
    env: {
      ...process.env,
      DATABASE_MODULE: join(import.meta.dir, '../../../server/db/engine/database.ts'),
      REPRICING_MODULE: join(import.meta.dir, 'repricing.ts'),
      URL_OF_DATABASE: database.location.url,
      JOB: JSON.stringify(job),
    },
    stdout: 'pipe',
  })
  const { value } = await gateway.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('started')
  gateway.kill('SIGKILL')
  await gateway.exited
  const afterRestart = createRepricing(database, noopLogger)
  expect(afterRestart.state()).toMatchObject({ status: 'none', share: 0 })
  await afterRestart.stop()
  const result = await reprice(OPTIONS)
  expect(result.requests).toBe(5000)
  expect(result.after).toBe(result.before)
  const { requests, quota } = await database.db
    .selectFrom('logs')
    .select(({ fn }) => [fn.countAll<number>().as('requests'), fn.sum<number>('quota').as('quota')])
    .executeTakeFirstOrThrow()
  expect([Number(requests), Number(quota)]).toEqual([5000, result.before])
})

test('a shutdown ends a computation, which the next start can repeat', async () => {
  const made = makeUsages(1000)
  await insert(made.map(one => toLogged(one, chargeOf(createPriceBook(OPTIONS), one), toReceipt(one))))
  const job = { options: OPTIONS, ...PERIOD, limits: NO_LIMITS }
  const stopping = createRepricing(database, noopLogger)
  expect(stopping.start(job)).toBe(true)
  await stopping.stop()
  expect(['cancelled', 'done']).toContain(stopping.state().status)
  expect(stopping.start(job)).toBe(false)
  expect(await reprice(OPTIONS)).toMatchObject({ requests: 1000 })
})

test('a period without requests gives a result of zeros', async () => {
  expect(await reprice(OPTIONS)).toMatchObject({ requests: 0, before: 0, after: 0, users: [], models: [] })
})

test('a database that cannot be read is a failure, after which another computation can start', async () => {
  if (database.engine === 'postgres') return
  const broken = createRepricing(
    { db: database.db, location: { ...database.location, url: join(folder.path, 'x', '\u0001', 'no.db') } },
    noopLogger,
  )
  const job = { options: OPTIONS, ...PERIOD, limits: NO_LIMITS }
  for (let turn = 0; turn < 2; turn += 1) {
    expect(broken.start(job)).toBe(true)
    await waitUntil(FINISHED, () => broken.state().status !== 'running')
    expect(broken.state().status).toBe('failed')
  }
  await broken.stop()
  expect(broken.start(job)).toBe(false)
})
