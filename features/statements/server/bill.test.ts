import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { addToChargeHours } from '#server/db/billing/charge-hours.ts'
import { insertMinutes, NO_SUMS } from '#server/db/usage/totals.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { createSelfBillLink, createUserBillLink, getSelfBill, getUserBill } from '../contract.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** The November of 2026 in UTC. */
const NOVEMBER = Date.UTC(2026, 10) / 1000
const DECEMBER = Date.UTC(2026, 11) / 1000
const november = { start_timestamp: NOVEMBER, end_timestamp: DECEMBER }
const PAGE = { headers: { accept: 'text/html' } }

let app: TestApp
let anna: TestClient
let now = DECEMBER + DAY
let restoreClock: () => unknown
beforeEach(async () => {
  now = DECEMBER + DAY
  restoreClock = setClock({ nowMs: () => now * 1000, elapsedMs: () => 0 })
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
  await charge(NOVEMBER + 3 * HOUR, 'gpt-5.5', 700_000)
  await charge(NOVEMBER + 5 * HOUR, '<b>haiku</b>', 50_000)
  await charge(NOVEMBER - HOUR, 'gpt-5.5', 9)
})
afterEach(async () => {
  await app.close()
  restoreClock()
})

/** One request, as the ledger and the analytics count it. */
async function charge(hour: number, model: string, amount: number): Promise<void> {
  await addToChargeHours(app.db, [{ user_id: anna.id, hour, amount, count: 1 }])
  await countRequest(hour, { model, amount, plan: '' })
}

async function countRequest(
  hour: number,
  { model, amount, plan }: { readonly model: string; readonly amount: number; readonly plan: string },
): Promise<void> {
  await insertMinutes(app.db, [
    {
      ...NO_SUMS,
      minute: hour + 60,
      user_id: anna.id,
      token_id: 1,
      channel_id: 1,
      model_name: model,
      group: 'default',
      dialect: 'openai',
      error: '',
      region: '',
      plan,
      first_token: '',
      duration: '',
      requests: 1,
      input_tokens: 1000,
      cached_input_tokens: 200,
      output_tokens: 30,
      reasoning_tokens: 4,
      quota: amount,
    },
  ])
}

const setOption = (key: string, value: string) =>
  app.root.fetch('/api/option/', { method: 'PUT', body: JSON.stringify({ key, value }) })

describe('bill', () => {
  test('has the charges by model, under a number when the period is a calendar month', async () => {
    const { data } = await anna.call(getSelfBill, { query: november })
    expect(data).toMatchObject({
      number: `202611-${anna.id}`,
      username: 'anna',
      charged: 750_000,
      requests: 2,
      lines: [
        { model: 'gpt-5.5', requests: 1, input_tokens: 1200, output_tokens: 34, amount: 700_000 },
        { model: '<b>haiku</b>', amount: 50_000 },
      ],
    })
    const shorter = { ...november, end_timestamp: DECEMBER - 1 }
    expect((await anna.call(getSelfBill, { query: shorter })).data.number).toBe('')
  })

  test('adds up to the charges of the ledger, whatever the analytics have counted', async () => {
    await addToChargeHours(app.db, [{ user_id: anna.id, hour: NOVEMBER + 9 * HOUR, amount: 5, count: 2 }])
    const { data } = await anna.call(getSelfBill, { query: november })
    expect(data.lines.at(-1)).toEqual({
      model: '',
      requests: 2,
      input_tokens: 0,
      output_tokens: 0,
      amount: 5,
    })
    expect(data.lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(data.charged)
  })

  test('leaves out what a plan paid', async () => {
    await countRequest(NOVEMBER + 4 * HOUR, { model: 'opus', amount: 3_000_000, plan: 'Pro' })
    const { data } = await anna.call(getSelfBill, { query: november })
    expect([data.charged, data.lines.map(({ model }) => model)]).toEqual([
      750_000,
      ['gpt-5.5', '<b>haiku</b>'],
    ])
  })

  test('counts the months of the reporting time zone', async () => {
    await setOption('ReportingTimeZone', 'Europe/Berlin')
    expect((await anna.call(getSelfBill, { query: november })).data.number).toBe('')
    const berlin = { start_timestamp: NOVEMBER - HOUR, end_timestamp: DECEMBER - HOUR }
    expect((await anna.call(getSelfBill, { query: berlin })).data).toMatchObject({
      number: `202611-${anna.id}`,
      charged: 750_009,
    })
  })

  test('names its issuer, by default the system', async () => {
    const issuer = async () => (await anna.call(getSelfBill, { query: november })).data.issuer
    expect(await issuer()).toEqual(['Tollgate'])
    await setOption('BillIssuer', 'Example Ltd.\n1 High Street')
    expect(await issuer()).toEqual(['Example Ltd.', '1 High Street'])
  })

  test('of others is read by administrators of a higher rank alone', async () => {
    const admin = await app.addUser({ username: 'boss', role: 'admin' })
    const read = (client: TestClient, id: number) =>
      client.call(getUserBill, { params: { id }, query: november })
    expect((await read(admin, anna.id)).data.charged).toBe(750_000)
    expect((await read(admin, app.root.id)).code).toBe('user.no_permission')
    const link = (client: TestClient, id: number) =>
      client.call(createUserBillLink, { params: { id }, body: { month: '2026-11', days: 30 } })
    expect((await link(admin, anna.id)).data.number).toBe(`202611-${anna.id}`)
    expect((await link(admin, app.root.id)).code).toBe('user.no_permission')
    expect((await link(anna, app.root.id)).success).toBe(false)
  })
})

describe('link', () => {
  const createLink = async (month = '2026-11') =>
    (await anna.call(createSelfBillLink, { body: { month, days: 30 } })).data
  const visit = (path: string, init: RequestInit = PAGE) => app.visitor.fetch(path, init)

  test('shows the bill to a visitor, without scripts, caching or indexing', async () => {
    const { path, expires_at } = await createLink()
    expect(expires_at).toBe(now + 30 * DAY)
    const response = await visit(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-robots-tag')).toContain('noindex')
    expect(response.headers.get('content-security-policy')).toStartWith(
      "default-src 'none'; img-src data:; style-src",
    )
    const page = await response.text()
    expect(page).toContain(`202611-${anna.id}`)
    expect(page).toContain('2026-11-01 – 2026-11-30')
    expect(page).toContain('$1.500000')
    expect(page).toContain('&lt;b&gt;haiku&lt;/b&gt;')
    expect(page).not.toContain('<b>')
    expect(page).not.toContain('not over')
  })

  test('is in the language of the reader', async () => {
    const { path } = await createLink()
    const page = await (await visit(path, { headers: { 'accept-language': 'zh-CN' } })).text()
    expect(page).toContain('<html lang="zh-CN">')
    expect(page).toContain('合计')
  })

  test('says that the month is not over', async () => {
    const { path } = await createLink('2026-12')
    expect(await (await visit(path)).text()).toContain('The month is not over')
    const ahead = { body: { month: '2027-01', days: 30 } }
    expect((await anna.call(createSelfBillLink, ahead)).code).toBe('statement.month_ahead')
  })

  test('ends when it expires, and says so', async () => {
    const { path } = await createLink()
    now += 30 * DAY
    const response = await visit(path)
    expect([response.status, await response.text()]).toEqual([
      410,
      expect.stringContaining('This link has expired'),
    ])
  })

  test('that was changed opens nothing', async () => {
    const { path } = await createLink()
    const { data: other } = await app.root.call(createSelfBillLink, { body: { month: '2026-11', days: 30 } })
    const query = (from: string) => from.slice(from.indexOf('?'))
    const changed = [
      path.replace(`-${anna.id}?`, `-${app.root.id}?`),
      path.replace('202611', '202610'),
      path.replace(/until=\d/, 'until=9'),
      path.replace(/signature=./, 'signature=x'),
      path.slice(0, -1),
      path.slice(0, path.indexOf('&')),
      `/bill/202611-${anna.id}${query(other.path)}`,
      '/bill/',
      `/bill/x/202611-${anna.id}${query(path)}`.replace('202611', '202612'),
    ]
    for (const link of changed) {
      const response = await visit(link)
      expect([link, response.status]).toEqual([link, 404])
      const page = await response.text()
      expect(page).toContain('This link is not valid')
      expect(page).not.toContain('anna')
    }
  })

  test('opens at most thirty times a minute', async () => {
    const { path } = await createLink()
    const statuses = new Set<number>()
    for (let count = 0; count < 31; count += 1) statuses.add((await visit(path)).status)
    expect([...statuses]).toEqual([200, 429])
  })
})
