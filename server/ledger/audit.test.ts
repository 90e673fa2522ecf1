import { afterEach, beforeEach, expect, test } from 'bun:test'
import { auditLedger, renderAuditReport } from './audit.ts'
import {
  buildBill,
  buildHoldRequest,
  createChannel,
  createToken,
  createUser,
  openTestLedger,
  type TestLedger,
} from './testing.ts'

let books: TestLedger
let userId = 0
let tokenId = 0
let channelId = 0

beforeEach(async () => {
  books = await openTestLedger()
  userId = await createUser(books.db, 1000)
  tokenId = await createToken(books.db, userId, 900)
  channelId = await createChannel(books.db)
  await books.ledger.settle(
    await books.ledger.reserve(buildHoldRequest(userId, 300, tokenId)),
    buildBill(120, channelId),
  )
  await books.ledger.reserve(buildHoldRequest(userId, 50, tokenId))
})

afterEach(() => books.close())

test('finds no drift in books that balance, open holds included', async () => {
  const report = await auditLedger(books.db)
  expect(report).toMatchObject({ drift: 0, findings: [], requests: [] })
  expect(report.counts).toEqual({
    users: 1,
    tokens: 1,
    channels: 1,
    postings: 6,
    charges: 1,
    openHolds: 1,
    walletsBelowZero: 0,
    unloggedCharges: 0,
  })
  expect(renderAuditReport(report)).toEndWith('The books balance.')
})

const columns = [
  ['users', 'quota'],
  ['users', 'used_quota'],
  ['users', 'request_count'],
  ['users', 'aff_quota'],
  ['tokens', 'remain_quota'],
  ['tokens', 'used_quota'],
  ['channels', 'used_quota'],
] as const

for (const [table, column] of columns)
  test(`finds a changed ${table}.${column}`, async () => {
    await books.db
      .updateTable(table as 'users')
      .set({ [column]: 7777 })
      .execute()
    const report = await auditLedger(books.db)
    expect(report.drift).toBeGreaterThan(0)
    expect(report.findings).toContainEqual(
      expect.objectContaining({ balance: `${table}.${column}`, found: 7777 }),
    )
    expect(renderAuditReport(report)).toEndWith('The books do not balance.')
  })

test('finds a hold that is missing', async () => {
  await books.db.deleteFrom('holds').execute()
  const { drift, findings } = await auditLedger(books.db)
  expect(drift).toBe(50)
  expect(findings).toEqual([{ balance: 'open holds', owner: userId, found: 0, expected: 50 }])
})

test('finds hours that do not add up to the charges', async () => {
  await books.db.updateTable('usage_hours').set({ quota: 119 }).execute()
  expect((await auditLedger(books.db)).findings).toEqual([
    { balance: 'usage_hours.quota', owner: userId, found: 119, expected: 120 },
  ])
})

test('finds money left with a user who is gone', async () => {
  await books.db.deleteFrom('users').execute()
  expect((await auditLedger(books.db)).findings).toContainEqual({
    balance: 'users.quota',
    owner: userId,
    found: 0,
    expected: 830,
  })
})

test('finds a log row that was changed, doubled or never charged', async () => {
  await books.db.updateTable('logs').set({ quota: 100 }).execute()
  expect((await auditLedger(books.db)).requests).toMatchObject([{ charges: 1, logs: 1, units: 20 }])
  await books.db
    .updateTable('postings')
    .set({ kind: 'lost', to_account: 'wallet' })
    .where('kind', '=', 'charge')
    .execute()
  expect((await auditLedger(books.db)).requests).toMatchObject([{ charges: 0, logs: 1, units: -100 }])
})

test('counts charges without a log row apart, because old rows may be deleted', async () => {
  await books.db.deleteFrom('logs').execute()
  const { drift, counts } = await auditLedger(books.db)
  expect(drift).toBe(0)
  expect(counts.unloggedCharges).toBe(1)
})
