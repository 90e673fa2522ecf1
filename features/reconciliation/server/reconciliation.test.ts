import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { BodyOf } from '#contract/endpoint.ts'
import { setClock } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { countAllRequests } from '#server/db/usage/count-requests.ts'
import { rollUpTotals } from '#server/db/usage/roll-up-totals.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import {
  createReconciliation,
  deleteReconciliation,
  exportReconciliation,
  getReconciliation,
  listBalanceReadings,
  listReconcilableChannels,
  listReconciliations,
  reconcileBalance,
} from '../contract.ts'
import { insertBalanceReading } from './queries/balance-readings.ts'
import { insertReconciliation } from './queries/reconciliations.ts'
import { reconcile } from './reconcile.ts'
import { withReconciliationTables } from './tables.ts'

const DAY_SECONDS = 86_400
const START = Date.parse('2026-11-02T00:00:00Z') / 1000
const NOW = START + 3 * DAY_SECONDS
const DOLLAR = 1_000_000_000

const engine = () => (process.env.TEST_DATABASE_URL ? ('postgres' as const) : ('sqlite' as const))
const countAll = (db: Database, now: number) => countAllRequests({ db, engine: engine(), reader: db }, now)

describe('through the API', () => {
  let app: TestApp
  let admin: TestClient
  let restoreClock: () => void
  beforeEach(async () => {
    app = await openTestApp()
    restoreClock = setClock({ nowMs: () => NOW * 1000, elapsedMs: () => performance.now() })
    admin = await app.addUser({ username: 'boss', role: 'admin' })
    await addChannel(1, 'bought', '{"purchase_factor":1}', '{"fast":"gpt-5.5-2026-04-23"}')
    await addChannel(2, 'unpriced', '')
    await served({ model_name: 'fast', cost: 2 * DOLLAR })
    await served({ model_name: 'gpt-5.5', cost: DOLLAR, created_at: START + DAY_SECONDS })
    await served({
      model_name: 'gpt-5.5',
      cost: DOLLAR,
      created_at: START + DAY_SECONDS,
      type: 5,
      error: '429 x',
    })
    await served({ model_name: 'o3', channel_id: 2 })
    await served({ model_name: 'o3', channel_id: 9, cost: 50 * DOLLAR })
    await countAll(app.db, NOW)
  })
  afterEach(async () => {
    restoreClock()
    await app.close()
  })

  const addChannel = (id: number, name: string, setting: string, model_mapping = '') =>
    app.db
      .insertInto('channels')
      .values({
        id,
        type: 1,
        name,
        key_hash: '',
        key_sealed: '',
        created_time: 1,
        models: '',
        setting,
        model_mapping,
      })
      .execute()

  async function served({ cost, ...row }: Record<string, string | number>): Promise<void> {
    const isFailure = row.type === 5
    const { id } = await app.db
      .insertInto('logs')
      .values({
        request_id: 'r',
        user_id: 1,
        created_at: START,
        type: 2,
        username: '',
        token_id: 0,
        token_name: '',
        model_name: '',
        channel_id: 1,
        group: 'default',
        quota: isFailure ? 0 : 500_000,
        prompt_tokens: 0,
        completion_tokens: 0,
        use_time: 1,
        is_stream: 0,
        content: '',
        ...row,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const body = { use_ms: 5, ...(!isFailure && { usage: { input: 3, output: 4 }, cost_nanos: cost }) }
    await app.db
      .insertInto('receipts')
      .values({ log_id: id, body: JSON.stringify(body) })
      .execute()
  }

  const BILL = `date,model,cost_usd,requests
2026-11-02,gpt-5.5-2026-04-23,2,1
2026-11-03,gpt-5.5,1.5,1
`
  const send = (changed: Partial<BodyOf<typeof createReconciliation>> = {}) =>
    admin.call(createReconciliation, {
      body: {
        channel_ids: [1],
        start_date: '',
        end_date: '',
        files: [{ name: 'bill.csv', text: BILL }],
        ...changed,
      },
    })
  const codeOf = async (changed: Parameters<typeof send>[0]) => (await send(changed)).code

  test('finds a seeded difference in the right model and on the right day, before and after roll-ups', async () => {
    const check = async () => {
      const { data } = await send()
      expect(data?.total).toEqual({
        billed_nanos: 3.5 * DOLLAR,
        computed_nanos: 3 * DOLLAR,
        difference_nanos: 0.5 * DOLLAR,
        difference_percent: 14.29,
        is_marked: true,
        requests: 2,
        unknown_cost_requests: 0,
        billed_requests: 2,
      })
      expect(
        data?.models.map(({ model, requested_as, difference_nanos }) => [
          model,
          requested_as,
          difference_nanos,
        ]),
      ).toEqual([['gpt-5.5', ['fast'], 0.5 * DOLLAR]])
      expect(
        data?.days.map(({ date, difference_nanos, is_marked }) => [date, difference_nanos, is_marked]),
      ).toEqual([
        ['2026-11-02', 0, false],
        ['2026-11-03', 0.5 * DOLLAR, true],
      ])
      expect([data?.start_timestamp, data?.end_timestamp]).toEqual([START, START + 2 * DAY_SECONDS])
    }
    await check()
    await rollUpTotals({ db: app.db, reader: app.db }, NOW + 60 * DAY_SECONDS)
    await check()
  })

  test('counts requests of unknown cost, and says why', async () => {
    const { data } = await send({ channel_ids: [1, 2] })
    expect(data?.total).toMatchObject({ requests: 3, unknown_cost_requests: 1, computed_nanos: 3 * DOLLAR })
    expect(data?.models.find(({ model }) => model === 'o3')).toMatchObject({ unknown_cost_requests: 1 })
    expect(data?.causes.slice(0, 2)).toEqual([
      {
        code: 'unknown_cost',
        message:
          'The cost of 1 request is not known and not in our amount; users were charged $1.00 for them.',
      },
      {
        code: 'no_purchase_prices',
        message:
          'These channels have no purchase prices: unpriced. Once they have, new requests have a cost.',
      },
    ])
  })

  test('leaves out rows outside of the period and says so', async () => {
    const { data } = await send({ start_date: '2026-11-02', end_date: '2026-11-02' })
    expect(data?.total).toMatchObject({
      billed_nanos: 2 * DOLLAR,
      computed_nanos: 2 * DOLLAR,
      is_marked: false,
    })
    expect(data?.causes.map(({ code }) => code)).toEqual(['rows_outside'])
  })

  test('says that a period has not ended', async () => {
    const { data } = await send({ start_date: '2026-11-02', end_date: '2026-11-05' })
    expect(data?.causes.map(({ code }) => code)).toContain('still_counting')
  })

  test('adds several files up', async () => {
    const more = { name: 'more.csv', text: 'date,model,cost_usd\n2026-11-02,gpt-5.5,-0.5\n' }
    const { data } = await send({ files: [{ name: 'bill.csv', text: BILL }, more] })
    expect(data?.total.difference_nanos).toBe(0)
    expect(data?.files).toEqual(['bill.csv', 'more.csv'])
    expect(data?.causes.map(({ code }) => code)).toContain('credits')
  })

  test('keeps a comparison, in the language of the reader, until it is deleted', async () => {
    const { data } = await send({ channel_ids: [2, 1] })
    const id = data?.id ?? 0
    expect(await admin.call(getReconciliation, { params: { id } })).toMatchObject({ data: { ...data } })
    const page = await admin.call(listReconciliations, { query: { p: 1, page_size: 10 } })
    expect(page.data).toMatchObject({
      total: 1,
      items: [
        {
          id,
          username: 'boss',
          created_at: NOW,
          files: ['bill.csv'],
          channels: [
            { id: 1, name: 'bought' },
            { id: 2, name: 'unpriced' },
          ],
          billed_nanos: 3.5 * DOLLAR,
          computed_nanos: 3 * DOLLAR,
        },
      ],
    })
    expect(await admin.call(deleteReconciliation, { params: { id } })).toMatchObject({ success: true })
    for (const endpoint of [getReconciliation, deleteReconciliation])
      expect((await admin.call(endpoint, { params: { id } })).code).toBe('reconciliation.unknown')
  })

  test('exports by model or day with a total, amounts in dollars', async () => {
    const id = (await send()).data?.id ?? 0
    const path = exportReconciliation.path.replace(':id', String(id))
    const read = async (query: string) => {
      const response = await admin.fetch(`${path}${query}`)
      return [response.headers.get('content-disposition'), ...(await response.text()).trim().split('\r\n')]
    }
    expect(await read('')).toEqual([
      'attachment; filename="reconciliation-by-model-2026-11-02-to-2026-11-03.csv"',
      'model,billed_usd,computed_usd,difference_usd,difference_percent,is_marked,requests,unknown_cost_requests,billed_requests,tokens,billed_tokens',
      'gpt-5.5,3.5,3,0.5,14.29,yes,2,0,2,14,',
      '(total),3.5,3,0.5,14.29,yes,2,0,2,,',
    ])
    expect((await read('?by=day')).slice(2)).toEqual([
      '2026-11-02,2,2,0,0,,1,0,1',
      '2026-11-03,1.5,1,0.5,33.33,yes,1,0,1',
      '(total),3.5,3,0.5,14.29,yes,2,0,2',
    ])
  })

  test('refuses bad files with the row and why, and keeps nothing', async () => {
    const rejection = await send({ files: [{ name: 'bill.csv', text: `${BILL}2026-11-03,gpt-5.5,NaN,1\n` }] })
    expect(rejection).toMatchObject({
      success: false,
      code: 'reconciliation.unreadable_row',
      message: 'bill.csv cannot be read, row 4: cost_usd "NaN" is not a number of dollars',
    })
    const file = (text: string) => ({ files: [{ name: '', text }] })
    expect(await codeOf(file(''))).toBe('reconciliation.unreadable')
    expect(await codeOf(file('date,model,cost_usd\n2026-11-02,a,1000000\n'.padEnd(8_388_609)))).toBe(
      'invalid_parameter',
    )
    const half = { name: 'a', text: 'a'.repeat(5_000_000) }
    expect(await codeOf({ files: [half, { ...half, text: `b${half.text}` }] })).toBe(
      'reconciliation.too_large',
    )
    const twice = { name: 'a', text: BILL }
    expect(await codeOf({ files: [twice, twice] })).toBe('reconciliation.same_file')
    const rich = Array.from({ length: 10 }, () => '2026-11-02,a,1000000').join('\n')
    expect(await codeOf(file(`date,model,cost_usd\n${rich}`))).toBe('reconciliation.too_much')
    const models = Array.from({ length: 1001 }, (_, index) => `2026-11-02,m-${index}x,1`).join('\n')
    expect(await codeOf(file(`date,model,cost_usd\n${models}`))).toBe('reconciliation.too_many_models')
    const empty = 'start_time,amount_value,amount_currency,line_item\n1793577600,,,\n'
    expect(await codeOf(file(empty))).toBe('reconciliation.no_days')
    expect((await admin.call(listReconciliations, { query: { p: 1, page_size: 10 } })).data?.total).toBe(0)
  })

  test('lists channels with the known parts of their costs', async () => {
    const { data } = await admin.call(listReconcilableChannels)
    expect(data).toEqual([
      { id: 1, name: 'bought', has_purchase_prices: true, can_query_balance: true },
      { id: 2, name: 'unpriced', has_purchase_prices: false, can_query_balance: true },
    ])
  })

  test('works with channels whose settings cannot be read', async () => {
    await addChannel(3, 'broken', 'not JSON', '{"fast":')
    await addChannel(4, 'odd', '{"purchase_factor":"1"}', '[]')
    const { data } = await admin.call(listReconcilableChannels)
    expect(data?.map(({ has_purchase_prices }) => has_purchase_prices)).toEqual([true, false, false, false])
    expect(await send({ channel_ids: [1, 3, 4] })).toMatchObject({ success: true })
  })

  test('refuses periods and channels that do not exist', async () => {
    expect(await codeOf({ channel_ids: [1, 77] })).toBe('reconciliation.unknown_channel')
    expect(await codeOf({ start_date: '2026-02-30' })).toBe('reconciliation.invalid_date')
    expect(await codeOf({ start_date: '2026-11-04' })).toBe('reconciliation.period_reversed')
    expect(await codeOf({ start_date: '2026-01-01' })).toBe('reconciliation.period_too_long')
    const early = { start_date: '2026-10-01', end_date: '2026-10-02' }
    expect(await codeOf(early)).toBe('reconciliation.no_rows')
  })

  describe('readings of a balance', () => {
    const read = (
      created_at: number,
      balance: number,
      changed: { channel_id?: number; currency?: string } = {},
    ) =>
      withReconciliationTables(app.db)
        .insertInto('balance_readings')
        .values({ channel_id: 1, created_at, balance, currency: 'USD', ...changed })
        .returning('id')
        .executeTakeFirstOrThrow()
    const compare = async (
      first: number,
      second: number,
      changed: Partial<BodyOf<typeof reconcileBalance>> = {},
    ) =>
      admin.call(reconcileBalance, {
        body: { channel_ids: [1], first_id: first, second_id: second, top_ups: 0, ...changed },
      })

    test('are listed newest first, and their difference with what was paid in is compared', async () => {
      const early = await read(START - 100, 12.3)
      const late = await read(START + 2 * DAY_SECONDS, 14.1)
      await read(START, 7, { channel_id: 2 })
      const { data: readings } = await admin.call(listBalanceReadings, { params: { id: 1 } })
      expect(readings).toEqual([
        { id: late.id, created_at: START + 2 * DAY_SECONDS, balance: 14.1, currency: 'USD' },
        { id: early.id, created_at: START - 100, balance: 12.3, currency: 'USD' },
      ])
      for (const [first, second] of [
        [early.id, late.id],
        [late.id, early.id],
      ] as const) {
        const { data } = await compare(first, second, { top_ups: 4.8 })
        expect(data).toMatchObject({
          files: [],
          start_timestamp: START - 100,
          end_timestamp: START + 2 * DAY_SECONDS,
          balances: { channel_id: 1, first_balance: 12.3, second_balance: 14.1, top_ups: 4.8 },
          total: {
            billed_nanos: 3 * DOLLAR,
            computed_nanos: 3 * DOLLAR,
            difference_nanos: 0,
            is_marked: false,
          },
          models: [{ model: 'gpt-5.5', billed_nanos: null, computed_nanos: 3 * DOLLAR }],
          days: [{ date: '2026-11-02' }, { date: '2026-11-03' }],
        })
        expect(data?.causes).toEqual([])
      }
    })

    test('that differ from the costs say what may be missing', async () => {
      const ids = [await read(START + 60, 10), await read(START + 2 * DAY_SECONDS, 5)].map(({ id }) => id)
      const [first = 0, second = 0] = ids
      const more = await compare(first, second)
      expect(more.data?.total).toMatchObject({ difference_nanos: 2 * DOLLAR, is_marked: true })
      expect(more.data?.causes.map(({ code }) => code)).toEqual(['charged_more', 'edges'])
      const less = await compare(first, (await read(START + 2 * DAY_SECONDS, 10)).id, { channel_ids: [1, 2] })
      expect(less.data?.causes.map(({ code }) => code)).toEqual([
        'unknown_cost',
        'no_purchase_prices',
        'charged_less',
        'edges',
      ])
    })

    test('are compared by the minute while minutes are kept', async () => {
      await served({ model_name: 'gpt-5.5', cost: 7 * DOLLAR, created_at: NOW - 600 })
      await served({ model_name: 'gpt-5.5', cost: 11 * DOLLAR, created_at: NOW - 420 })
      await countAll(app.db, NOW)
      const ids = [await read(NOW - 540, 20), await read(NOW - 300, 9)].map(({ id }) => id)
      const [first = 0, second = 0] = ids
      expect((await compare(first, second)).data?.total).toMatchObject({
        computed_nanos: 11 * DOLLAR,
        difference_nanos: 0,
      })
    })

    test('are refused when they are not of one account in dollars', async () => {
      const own = await read(START, 1)
      const codeOf = async (id: number) => (await compare(own.id, id)).code
      expect(await codeOf(own.id)).toBe('reconciliation.same_reading')
      expect(await codeOf(999)).toBe('reconciliation.unknown_reading')
      expect(await codeOf((await read(START + 1, 1, { channel_id: 2 })).id)).toBe(
        'reconciliation.other_channel',
      )
      expect(await codeOf((await read(START + 1, 1, { currency: 'CNY' })).id)).toBe(
        'reconciliation.other_currency',
      )
      const late = await read(START + 94 * DAY_SECONDS, 1)
      expect(await codeOf(late.id)).toBe('reconciliation.period_too_long')
    })

    test('are kept up to a number for each channel', async () => {
      const readings = Array.from({ length: 2000 }, (_, at) => ({
        channel_id: 1,
        created_at: at,
        balance: at,
        currency: 'USD',
      }))
      for (let start = 0; start < readings.length; start += 500)
        await withReconciliationTables(app.db)
          .insertInto('balance_readings')
          .values(readings.slice(start, start + 500))
          .execute()
      await read(0, 1, { channel_id: 2 })
      await insertBalanceReading(app.db, { channel_id: 1, created_at: 2000, balance: 1, currency: 'USD' })
      const found = await withReconciliationTables(app.db)
        .selectFrom('balance_readings')
        .select(['channel_id', 'created_at'])
        .execute()
      expect(found.length).toBe(2001)
      expect(found.some(({ channel_id, created_at }) => channel_id === 1 && created_at === 0)).toBe(false)
    })
  })

  test('keeps the newest ones only', async () => {
    const row = {
      created_at: 1,
      user_id: 1,
      files: '[]',
      channels: '[]',
      start_time: 1,
      end_time: 2,
      billed_nanos: null,
      computed_nanos: 0,
      body: '',
    }
    for (let count = 0; count < 4; count += 1) await insertReconciliation(app.db, row, 3)
    const found = await withReconciliationTables(app.db)
      .selectFrom('reconciliations')
      .select('id')
      .orderBy('id')
      .execute()
    expect(found.map(({ id }) => id)).toEqual([2, 3, 4])
  })
})

test('the cost of requests through a provider equals its bill to the nano', async () => {
  const prices = { input: 3.7, output: 11.3 }
  const relay = await TestRelay.open()
  try {
    await relay.addChannel({ setting: JSON.stringify({ purchase_prices: { lab: prices } }) })
    const key = await relay.addToken()
    let picos = 0n
    for (const words of [3, 50, 701]) {
      const messages = [{ role: 'user', content: 'word '.repeat(words) }]
      const response = await relay.request('/v1/chat/completions', key, { model: 'lab', messages })
      const { usage } = await response.json()
      picos += BigInt(usage.prompt_tokens) * 3_700_000n + BigInt(usage.completion_tokens) * 11_300_000n
    }
    const now = Math.floor(Date.now() / 1000)
    await countAll(relay.db, now)
    const day = new Date(now * 1000).toISOString().slice(0, 10)
    const bill = `date,model,cost_usd,requests\n${day},lab,${picos}e-12,3\n`
    const { result } = await reconcile(
      { channel_ids: [1], start_date: '', end_date: '', files: [{ name: 'bill.csv', text: bill }] },
      relay.db,
    )
    expect(result.total.computed_nanos).toBeGreaterThan(0)
    expect(result.models).toMatchObject([
      { model: 'lab', difference_nanos: 0, requests: 3, billed_requests: 3 },
    ])
    expect(result.total).toMatchObject({ difference_nanos: 0, is_marked: false, unknown_cost_requests: 0 })
  } finally {
    await relay.close()
  }
})
