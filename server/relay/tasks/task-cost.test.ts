import { afterEach, beforeEach, expect, test } from 'bun:test'
import { auditAnalytics } from '#features/analytics/server/verify.ts'
import { nowSeconds, setClock } from '../../core/clock.ts'
import { countAllRequests } from '../../db/usage/count-requests.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { followTasks } from './follow-tasks.ts'

const STARTED_MS = 1_750_000_000_000
const CENT_NANOS = 10_000_000
const DRAWING = { type: 5, models: 'mj_imagine,mj_describe' }
const MUSIC = { type: 36, models: 'suno_music,suno_lyrics' }

let relay: TestRelay
let key: string
let now = STARTED_MS
let restore: () => void

beforeEach(async () => {
  now = STARTED_MS
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  relay = await TestRelay.open({ wallet: 10_000_000 })
  key = await relay.addToken()
})
afterEach(async () => {
  const { drift } = await auditLedger(relay.db)
  await relay.close()
  restore()
  expect(drift).toBe(0)
})

const addChannel = (columns: typeof DRAWING | typeof MUSIC, setting: object) =>
  relay.addChannel({ ...columns, setting: JSON.stringify(setting) })
/** Submits a task and follows it to its end. */
const run = async (path: string, prompt = 'a lighthouse') => {
  const response = await relay.request(path, key, { prompt, gpt_description_prompt: prompt })
  expect(response.status).toBe(200)
  now += 5000
  while ((await followTasks(relay.context, new AbortController().signal)) > 0);
}
const listCosts = async () =>
  (await relay.db.selectFrom('receipts').select('body').orderBy('log_id').execute()).map(
    ({ body }) => JSON.parse(body).cost_nanos,
  )

test('a drawing costs what the channel pays for a request or a picture, at its speed where that has a price', async () => {
  await addChannel(DRAWING, {
    purchase_prices: {
      mj_imagine: { request: 0.03 },
      mj_turbo_imagine: { image: 0.08 },
    },
  })
  for (const path of ['/mj', '/mj-turbo/mj', '/mj-relax/mj']) await run(`${path}/submit/imagine`)
  expect(await listCosts()).toEqual([3 * CENT_NANOS, 8 * CENT_NANOS, 3 * CENT_NANOS])
})

test("music and drawings cost the channel's share of the catalogue's prices", async () => {
  await addChannel(DRAWING, { purchase_factor: 0.5, usage_multiplier: 2 })
  await addChannel(MUSIC, { purchase_factor: 0.4 })
  await run('/mj/submit/imagine')
  await run('/suno/submit/music')
  expect(await listCosts()).toEqual([10 * CENT_NANOS, 4 * CENT_NANOS])
})

test('a task without a price per request has no known cost, and a task that fails costs nothing', async () => {
  await addChannel(DRAWING, {
    purchase_factor: 1,
    purchase_prices: { mj_imagine: { input: 3, output: 5 } },
  })
  await run('/mj/submit/imagine')
  await run('/mj/submit/describe', 'a [lab: task-fail]')
  expect(await listCosts()).toEqual([undefined, undefined])
})

test('the cost is that of the submission, whatever happens to the purchase price until the task is done', async () => {
  const id = await addChannel(DRAWING, { purchase_prices: { mj_imagine: { request: 0.03 } } })
  await relay.request('/mj/submit/imagine', key, { prompt: 'a lighthouse' })
  const setting = JSON.stringify({ purchase_prices: { mj_imagine: { request: 9 } } })
  await relay.db.updateTable('channels').set({ setting }).where('id', '=', id).execute()
  await relay.context.channels.refresh()
  now += 5000
  while ((await followTasks(relay.context, new AbortController().signal)) > 0);
  expect(await listCosts()).toEqual([3 * CENT_NANOS])
})

test('costs of tasks are in analytics, and their sums are proved by the audit', async () => {
  await addChannel(DRAWING, { purchase_prices: { mj_imagine: { request: 0.03 } } })
  await run('/mj/submit/imagine')
  const { db, engine } = relay
  await countAllRequests({ db, engine, reader: db }, nowSeconds())
  const rows = await relay.db.selectFrom('analytics_minutes').select(['model_name', 'cost_nanos']).execute()
  expect(rows.map(row => ({ ...row, cost_nanos: Number(row.cost_nanos) }))).toEqual([
    { model_name: 'mj_imagine', cost_nanos: 3 * CENT_NANOS },
  ])
  expect(await auditAnalytics(relay)).toEqual({ drift: 0, first: [], requests: 1 })
})
