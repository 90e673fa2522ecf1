import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sameInBoth } from '#server/core/language.ts'
import { addToChargeHours } from '#server/db/billing/charge-hours.ts'
import { insertPostings } from '#server/db/billing/postings.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { getSelfStatement, getUserStatement, STATEMENT_ADJUSTMENTS_MAX } from '../contract.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** Midnight in UTC. */
const START = 1_700_006_400

let app: TestApp
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
  await credit({ kind: 'gift', amount: 1000, created_at: START - 5 * DAY, reason: 'Welcome\u001e欢迎' })
  await charge(START - 2 * DAY, 100)
  await credit({ kind: 'top_up', amount: 500, created_at: START + HOUR, reason: 'order-1' })
  await charge(START + 2 * HOUR, 30)
  await charge(START + 23 * HOUR, 20)
  await credit({ kind: 'adjustment', amount: -50, created_at: START + DAY + HOUR, reason: 'returned' })
  await charge(START + DAY + 2 * HOUR, 7)
  await charge(START + 2 * DAY, 900)
})
afterEach(() => app.close())

const credit = ({
  amount,
  ...posting
}: {
  kind: string
  amount: number
  created_at: number
  reason: string
}) =>
  insertPostings(app.db, [
    {
      from_account: amount > 0 ? 'issued' : 'wallet',
      to_account: amount > 0 ? 'wallet' : 'issued',
      amount: Math.abs(amount),
      user_id: anna.id,
      token_id: null,
      is_token_limited: 0,
      channel_id: null,
      request_id: '',
      actor_id: 1,
      ...posting,
    },
  ])

const charge = (hour: number, amount: number) =>
  addToChargeHours(app.db, [{ user_id: anna.id, hour, amount, count: 1 }])

const period = { start_timestamp: START, end_timestamp: START + 2 * DAY }

describe('200', () => {
  test('lists the transactions of a period, newest first, from the opening to the closing balance', async () => {
    const { data } = await anna.call(getSelfStatement, { query: period })
    expect(data).toMatchObject({
      username: 'anna',
      opening: 900,
      closing: 1293,
      credited: 500,
      debited: 50,
      charged: 57,
      requests: 3,
    })
    expect(
      data.transactions.map(({ kind, amount, balance, requests }) => [kind, amount, balance, requests]),
    ).toEqual([
      ['charge', -7, 1293, 1],
      ['adjustment', -50, 1300, 0],
      ['charge', -50, 1350, 2],
      ['top_up', 500, 1400, 0],
    ])
    expect(data.transactions.map(({ detail }) => detail)).toEqual(['', 'returned', '', 'order-1'])
  })

  test('closes a period where the next one opens, and ends at the balance of the wallet', async () => {
    const query = { start_timestamp: START + 2 * DAY, end_timestamp: START + 9 * DAY }
    const { data } = await anna.call(getSelfStatement, { query })
    expect([data.opening, data.closing]).toEqual([1293, 393])
    const empty = { start_timestamp: START + 20 * DAY, end_timestamp: START + 21 * DAY }
    expect((await anna.call(getSelfStatement, { query: empty })).data).toMatchObject({
      opening: 393,
      closing: 393,
      transactions: [],
    })
  })

  test('starts days at midnight of the reader', async () => {
    const { data } = await anna.call(getSelfStatement, { query: { ...period, utc_offset: 120 } })
    expect(data.transactions.filter(({ kind }) => kind === 'charge').map(({ amount }) => amount)).toEqual([
      -27, -30,
    ])
    expect(data.closing).toBe(1293)
  })

  test('shows stored reasons in the language of the reader', async () => {
    const query = { start_timestamp: START - 6 * DAY, end_timestamp: START }
    const headers = { 'accept-language': 'zh' }
    const inChinese = await anna.call(getSelfStatement, { query, headers })
    expect(inChinese.data.transactions.at(-1)?.detail).toBe('欢迎')
    expect((await anna.call(getSelfStatement, { query })).data.transactions.at(-1)?.detail).toBe('Welcome')
  })

  test('shows administrators the statements of users of lower rank', async () => {
    const admin = await app.addUser({ username: 'boss', role: 'admin' })
    const { data } = await admin.call(getUserStatement, { params: { id: anna.id }, query: period })
    expect(data).toMatchObject({ user_id: anna.id, username: 'anna', opening: 900 })
  })
})

describe('errors', () => {
  const codeOf = async (client: TestClient, id: number) =>
    (await client.call(getUserStatement, { params: { id }, query: period })).code

  test('refuses statements of users of the same or a higher rank, of unknown users and to ordinary users', async () => {
    const admin = await app.addUser({ username: 'boss', role: 'admin' })
    expect(await codeOf(admin, app.root.id)).toBe('user.no_permission')
    expect(await codeOf(admin, 4711)).toBe('user.unknown')
    expect((await anna.call(getUserStatement, { params: { id: anna.id }, query: period })).success).toBe(
      false,
    )
  })

  test.each([
    ['ends before it starts', { start_timestamp: START, end_timestamp: START }, 'statement.wrong_period'],
    ['covers more than a year', { start_timestamp: 1, end_timestamp: START }, 'statement.period_too_long'],
  ])('refuses a period that %s', async (_, query, code) => {
    expect((await anna.call(getSelfStatement, { query })).code).toBe(code)
  })

  test('refuses a period with too many transactions instead of leaving some out', async () => {
    for (let count = 0; count < STATEMENT_ADJUSTMENTS_MAX; count += 1)
      await credit({ kind: 'gift', amount: 1, created_at: START, reason: sameInBoth('').en })
    expect((await anna.call(getSelfStatement, { query: period })).code).toBe(
      'statement.too_many_transactions',
    )
  })
})
