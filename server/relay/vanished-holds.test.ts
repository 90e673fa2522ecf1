import { afterEach, beforeEach, expect, test } from 'bun:test'
import { waitUntil } from '../../tests/harness/wait-until.ts'
import { nowMs, setClock } from '../core/clock.ts'
import { createLab } from '../lab/open-lab.ts'
import { auditLedger } from '../ledger/audit.ts'
import { loseOpenHolds } from '../ledger/testing.ts'
import { testPrices } from '../testing/test-prices.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'
import { followTasks } from './tasks/follow-tasks.ts'

const DRAWING = { type: 5, models: 'mj_imagine,mj_describe' }
const DAY_MS = 86_400_000

let relay: TestRelay
let lost = 0

beforeEach(async () => {
  lost = 0
  const lab = createLab()
  relay = await TestRelay.open({
    prices: testPrices({
      ModelRatio: { lab: 1 },
      ModelOutputLimit: { lab: 1 },
      ModelPrice: { mj_imagine: 0.1, mj_describe: 0.1 },
    }),
    // The database fails over while the provider works.
    send: sendThrough(async request => {
      lost += await loseOpenHolds(relay.db)
      return lab.fetch(request)
    }),
  })
  await relay.addChannel()
  await relay.addChannel(DRAWING)
})
afterEach(async () => {
  const { drift } = await auditLedger(relay.db)
  await relay.close()
  expect(drift).toBe(0)
})

const chat = (content: string) => ({ model: 'lab', messages: [{ role: 'user', content }] })

const listLogs = () =>
  relay.db.selectFrom('logs').select(['type', 'request_id', 'quota']).where('type', 'in', [2, 5]).execute()
const listHolds = () => relay.db.selectFrom('holds').select('amount').execute()
const listPostings = () =>
  relay.db
    .selectFrom('postings')
    .select(['kind', 'amount'])
    .where('request_id', '!=', '')
    .orderBy('id')
    .execute()

/** Follows tasks until none is open, at a time when all are due. */
async function followToTheEnd(): Promise<void> {
  const later = nowMs() + DAY_MS
  const restore = setClock({ nowMs: () => later, elapsedMs: () => performance.now() })
  while ((await followTasks(relay.context, new AbortController().signal)) > 0);
  restore()
}

const SERVED = { type: 2, kinds: ['overrun', 'charge'] }
const EXTENDED = { type: 2, kinds: ['hold', 'extension', 'charge', 'rest'] }
const FAILED = { type: 5, kinds: ['release'] }

test.each([
  ['a chat', '/v1/chat/completions', chat('hello'), SERVED],
  ['a streamed chat', '/v1/chat/completions', { ...chat('hello [lab: tokens-1]'), stream: true }, SERVED],
  ['a streamed chat that outgrows it', '/v1/chat/completions', { ...chat('hello'), stream: true }, EXTENDED],
  ['a failed chat', '/v1/chat/completions', chat('[lab: status-500]'), FAILED],
  ['a failed streamed chat', '/v1/chat/completions', { ...chat('[lab: status-500]'), stream: true }, FAILED],
  [
    'a response in the background',
    '/v1/responses',
    { model: 'lab', input: 'hello', background: true },
    EXTENDED,
  ],
  ['a stored response', '/v1/responses', { model: 'lab', input: 'hello' }, SERVED],
  ['a drawing', '/mj/submit/imagine', { prompt: 'a lighthouse' }, SERVED],
  ['a drawing that fails', '/mj/submit/describe', { prompt: '[lab: task-fail]' }, FAILED],
])(
  '%s whose hold a failover lost leaves one log row with receipt and postings',
  async (_, path, body, { type, kinds }) => {
    const response = await relay.request(path, await relay.addToken({ remain: 900_000 }), body)
    await response.text()
    await waitUntil({ description: 'the log row', timeoutMs: 5000 }, async () => {
      await followToTheEnd()
      return (await listLogs()).length > 0
    })
    expect(lost).toBeGreaterThan(0)
    expect((await listLogs()).map(row => row.type)).toEqual([type])
    expect((await relay.db.selectFrom('receipts').select('log_id').execute()).length).toBe(1)
    expect(await listHolds()).toEqual([])
    expect((await listPostings()).map(({ kind }) => kind)).toEqual(kinds)
  },
)

test('a task whose hold a failover lost while it was submitted is reserved anew', async () => {
  const response = await relay.request('/mj/submit/imagine', await relay.addToken(), {
    prompt: 'a lighthouse',
  })
  expect([response.status, lost]).toEqual([200, 1])
  expect(await relay.db.selectFrom('holds').select(['amount', 'process_id']).execute()).toEqual([
    { amount: 50_000, process_id: 'task' },
  ])
})
