import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { setClock } from '#server/core/clock.ts'
import { newRequestId } from '#server/core/ids.ts'
import { noopLogger } from '#server/core/logger.ts'
import { quota } from '#server/core/money.ts'
import { type Ledger, openLedger } from '#server/ledger/ledger.ts'
import { LEDGER_OPTIONS } from '#server/ledger/testing.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import * as endpoints from '../contract/logs.ts'

const HOUR = 3600
const NOW = 1_700_000_000
const SPAN = 60 * HOUR
const MODELS = ['gpt-4o', 'claude', 'gemini'] as const
const GROUPS = ['default', 'vip'] as const
const REQUESTS = 120
/** Screens whose counts are compared. */
const FILTERS = 50

let app: TestApp
let ledger: Ledger
let clock = NOW
const restore = setClock({ nowMs: () => clock * 1000, elapsedMs: () => clock * 1000 })

beforeAll(async () => {
  app = await openTestApp()
  const engine = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite'
  ledger = openLedger({
    db: app.db,
    engine,
    log: noopLogger,
    processId: 'p',
    options: () => LEDGER_OPTIONS,
  })
  for (const request of fc.sample(someRequest, { numRuns: REQUESTS, seed: 5 })) await record(request)
  clock = NOW
})
afterAll(async () => {
  await ledger.close()
  await app.close()
  restore()
})

interface SampleRequest {
  readonly ago: number
  readonly model: string
  readonly group: string
  readonly isFailed: boolean
}

const someRequest: fc.Arbitrary<SampleRequest> = fc.record({
  ago: fc.integer({ min: 0, max: SPAN }),
  model: fc.constantFrom(...MODELS),
  group: fc.constantFrom(...GROUPS),
  isFailed: fc.boolean(),
})

async function record({ ago, model, group, isFailed }: SampleRequest): Promise<void> {
  clock = NOW - ago
  const amount = quota(100)
  const entry = {
    username: 'root',
    tokenName: '',
    modelName: model,
    channelId: 1,
    group,
    promptTokens: 10,
    completionTokens: 5,
    useTimeSeconds: 2,
    isStream: true,
    content: '',
  }
  const requestId = newRequestId()
  const hold = await ledger.reserve({
    requestId,
    userId: app.root.id,
    tokenId: null,
    isTokenLimited: false,
    amount,
  })
  const receipt = { ending: 'failed', status: 503, code: 'x', attempts: [] } as const
  if (isFailed) await ledger.release(hold, { entry, receipt })
  else await ledger.settle(hold, { amount, entry, receipt: { ...receipt, ending: 'complete', status: 200 } })
}

const someFilter = fc.record(
  {
    start_timestamp: fc.integer({ min: NOW - SPAN, max: NOW }),
    end_timestamp: fc.integer({ min: NOW - SPAN, max: NOW }),
    type: fc.constantFrom(2, 5),
    not_type: fc.constantFrom('2', '5'),
    model_name: fc.constantFrom(...MODELS, 'gpt-4o,claude'),
    not_model_name: fc.constantFrom(...MODELS),
    group: fc.constantFrom(...GROUPS),
  },
  { requiredKeys: [] },
)

test('list, totals, chart and values of filters count the same requests', async () => {
  for (const query of fc.sample(someFilter, { numRuns: FILTERS, seed: 7 })) {
    const { total } = (await app.root.call(endpoints.listLogs, { query })).data
    const stat = (await app.root.call(endpoints.getLogStat, { query })).data
    const { points } = (
      await app.root.call(endpoints.getLogHistogram, { query: { ...query, split: 'model' } })
    ).data
    const facets = (await app.root.call(endpoints.getLogFacets, { query })).data
    const valuesOf = (
      values: readonly { readonly value: string; readonly count: number }[],
      isCounted: (value: string) => boolean = () => true,
    ) => sumOf(values.filter(({ value }) => isCounted(value)))
    const isOwnGroup = (value: string) => !query.group || value === query.group
    expect({
      query,
      stat: stat.count,
      chart: sumOf(points),
      users: valuesOf(facets.users),
      groups: valuesOf(facets.groups, isOwnGroup),
    }).toEqual({ query, stat: total, chart: total, users: total, groups: total })
    expect(points.reduce((sum, point) => sum + point.quota, 0)).toBe(stat.quota)
  }
})

const sumOf = (rows: readonly { readonly count: number }[]): number =>
  rows.reduce((sum, { count }) => sum + count, 0)
