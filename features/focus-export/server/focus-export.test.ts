import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createToken } from '#contract/entities/token.ts'
import { setClock } from '#server/core/clock.ts'
import { noopLogger } from '#server/core/logger.ts'
import { quota } from '#server/core/money.ts'
import { type Ledger, openLedger } from '#server/ledger/ledger.ts'
import { buildHoldRequest, LEDGER_OPTIONS } from '#server/ledger/testing.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'

const DAY = 86_400
/** The first second of December, UTC. */
const DECEMBER = Date.parse('2026-12-01T00:00:00Z') / 1000

let app: TestApp
let anna: TestClient
let ledger: Ledger
let tokenId = 0
let clock = DECEMBER
let restore: () => void

beforeEach(async () => {
  clock = DECEMBER
  restore = setClock({ nowMs: () => clock * 1000, elapsedMs: () => performance.now() })
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna', quota: 10_000_000 })
  tokenId = (await anna.call(createToken, { body: { name: 'prod, "main"', unlimited_quota: true } })).data.id
  await app.db
    .insertInto('channels')
    .values({
      id: 5,
      type: 14,
      name: 'c',
      key_hash: 'h',
      key_sealed: 'k',
      created_time: 1,
      base_url: '',
      models: '',
    })
    .execute()
  const engine = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite'
  const options = () => LEDGER_OPTIONS
  ledger = openLedger({ db: app.db, engine, log: noopLogger, processId: 'p', options })
})
afterEach(async () => {
  await ledger.close()
  await app.close()
  restore()
})

interface Charge {
  readonly at: number
  readonly units: number
  readonly client?: TestClient
  readonly model?: string
  readonly tags?: Readonly<Record<string, string>>
}

async function charge({ at, units, client = anna, model = 'm0', tags = {} }: Charge): Promise<void> {
  clock = at
  const request = { ...buildHoldRequest(client.id, units), tokenId: client === anna ? tokenId : null }
  const created_at = at
  const rows = Object.entries(tags).map(([key, value]) => ({ key, value, created_at }))
  for (const row of rows)
    await app.db
      .insertInto('request_tags')
      .values({ request_id: request.requestId, ...row })
      .execute()
  const hold = await ledger.reserve(request)
  const entry = {
    ...{ username: 'anna', tokenName: 'prod', modelName: model, channelId: 5, group: 'default' },
    ...{ promptTokens: 10, completionTokens: 5, useTimeSeconds: 2, isStream: true, content: '' },
  }
  await ledger.settle(hold, { amount: quota(units), entry, receipt: {} })
}

/** The rows of a file, by its columns. No cell here has a line break. */
async function read(client: TestClient, query: string, path = '/api/focus/export') {
  const response = await client.fetch(`${path}?${query}`)
  const [head = '', ...lines] = (await response.text()).trimEnd().split('\r\n')
  const names = splitLine(head)
  return lines.map(line =>
    Object.fromEntries(splitLine(line).map((cell, index) => [names[index] ?? '', cell])),
  )
}

const splitLine = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  )

const unitsOf = (rows: readonly Readonly<Record<string, string>>[]): number =>
  rows.reduce((sum, row) => sum + Number(row.x_QuotaUnits), 0)

async function chargedIn(from: number, until: number, userId?: number): Promise<number> {
  const query = app.db
    .selectFrom('postings')
    .select(row => row.fn.sum('amount').as('amount'))
    .where('kind', '=', 'charge')
    .where('created_at', '>=', from)
    .where('created_at', '<', until)
  const row = await (userId === undefined ? query : query.where('user_id', '=', userId)).executeTakeFirst()
  return Number(row?.amount ?? 0)
}

const period = (from: number, until: number): string => `start_timestamp=${from}&end_timestamp=${until}`

test('sums to the ledger to the unit, by day, user, token, model, provider and tags', async () => {
  await charge({ at: DECEMBER - 1, units: 7 })
  await charge({ at: DECEMBER, units: 11, tags: { project: 'a=b', env: 'prod' } })
  await charge({ at: DECEMBER + 10, units: 13 })
  await charge({ at: DECEMBER + 20, units: 17, model: 'm1', tags: { env: '=1+1' } })
  await charge({ at: DECEMBER + DAY - 1, units: 19, client: app.root })
  await charge({ at: DECEMBER + DAY, units: 23 })
  await charge({ at: DECEMBER + 2 * DAY, units: 29 })
  const until = DECEMBER + 2 * DAY
  // The sign-in must be recent.
  clock = DECEMBER
  const rows = await read(app.root, period(DECEMBER, until))
  expect(unitsOf(rows)).toBe(await chargedIn(DECEMBER, until))
  expect(unitsOf(rows)).toBe(11 + 13 + 17 + 19 + 23)
  const found = rows.map(row => [row.ChargePeriodStart, row.SubAccountName, row.SkuId, row.x_QuotaUnits])
  expect(found.sort()).toEqual(
    [
      ['2026-12-01T00:00:00Z', 'anna', 'm0', '11'],
      ['2026-12-01T00:00:00Z', 'anna', 'm0', '13'],
      ['2026-12-01T00:00:00Z', 'anna', 'm1', '17'],
      ['2026-12-01T00:00:00Z', 'root', 'm0', '19'],
      ['2026-12-02T00:00:00Z', 'anna', 'm0', '23'],
    ].sort(),
  )
  expect(rows.map(({ Tags }) => Tags).filter(tags => tags !== '{}')).toEqual([
    '{"env":"prod","project":"a=b"}',
    '{"env":"=1+1"}',
  ])
  expect(rows.find(row => row.x_QuotaUnits === '11')).toMatchObject({
    BilledCost: '0.000022',
    ConsumedQuantity: '15.0',
    ServiceName: 'Anthropic Claude',
    ResourceName: 'prod, "main"',
    BillingPeriodStart: '2026-12-01T00:00:00Z',
    BillingPeriodEnd: '2027-01-01T00:00:00Z',
    InvoiceId: `statement-2026-12-user-${anna.id}`,
  })
})

test('a row whose log row is gone stays, without its tags', async () => {
  await charge({ at: DECEMBER, units: 11, tags: { env: 'prod' } })
  await app.db.deleteFrom('logs').execute()
  const rows = await read(app.root, period(DECEMBER, DECEMBER + DAY))
  expect(rows.map(({ Tags, x_QuotaUnits }) => [Tags, x_QuotaUnits])).toEqual([['{}', '11']])
})

test('users export their own charges, without providers', async () => {
  await charge({ at: DECEMBER, units: 11 })
  await charge({ at: DECEMBER, units: 19, client: app.root })
  const rows = await read(anna, period(DECEMBER, DECEMBER + DAY), '/api/focus/self/export')
  expect(unitsOf(rows)).toBe(await chargedIn(DECEMBER, DECEMBER + DAY, anna.id))
  expect(rows.map(row => [row.ServiceName, row.x_QuotaUnits])).toEqual([['Tollgate', '11']])
})

test('without a period it is the month so far', async () => {
  await charge({ at: DECEMBER - 1, units: 7 })
  await charge({ at: DECEMBER + 5 * DAY, units: 11 })
  expect(unitsOf(await read(anna, '', '/api/focus/self/export'))).toBe(11)
})

describe('errors', () => {
  test.each([
    ['is reversed', period(DECEMBER, DECEMBER - DAY), 'focus.wrong_period'],
    ['covers more than 400 days', period(1, DECEMBER), 'focus.period_too_long'],
  ])('refuses a period that %s', async (_, query, code) => {
    const response = await app.root.fetch(`/api/focus/export?${query}`)
    expect(await response.json()).toMatchObject({ success: false, code })
  })

  test('shows users nothing of others', async () => {
    const response = await anna.fetch('/api/focus/export')
    expect(await response.json()).toMatchObject({ success: false })
  })
})
