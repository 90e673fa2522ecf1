import { afterEach, beforeEach, expect, test } from 'bun:test'
import { auditLedger } from './audit.ts'
import {
  buildBill,
  buildHoldRequest,
  createChannel,
  createToken,
  createUser,
  openTestLedger,
  type TestLedger,
} from './testing.ts'

let fixture: TestLedger
let userId = 0
let tokenId = 0
let channelId = 0

beforeEach(async () => {
  fixture = await openTestLedger()
  userId = await createUser(fixture.db, 1000)
  tokenId = await createToken(fixture.db, userId, 900)
  channelId = await createChannel(fixture.db)
  await fixture.ledger.settle(
    await fixture.ledger.reserve(buildHoldRequest(userId, 300, tokenId)),
    buildBill(120, channelId),
  )
  await fixture.ledger.reserve(buildHoldRequest(userId, 50, tokenId))
})

afterEach(() => fixture.close())

test('finds no drift when balances match their postings and a hold is open', async () => {
  const report = await auditLedger(fixture.db)
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
  test(`reports a changed ${table}.${column}`, async () => {
    await fixture.db
      .updateTable(table as 'users')
      .set({ [column]: 7777 })
      .execute()
    const report = await auditLedger(fixture.db)
    expect(report.drift).toBeGreaterThan(0)
    expect(report.findings).toContainEqual(
      expect.objectContaining({ balance: `${table}.${column}`, found: 7777 }),
    )
  })

test('reports a missing hold', async () => {
  await fixture.db.deleteFrom('holds').execute()
  const { drift, findings } = await auditLedger(fixture.db)
  expect(drift).toBe(50)
  expect(findings).toEqual([{ balance: 'open holds', owner: userId, found: 0, expected: 50 }])
})

test('reports hours that do not add up to the charges', async () => {
  await fixture.db.updateTable('usage_hours').set({ quota: 119 }).execute()
  expect((await auditLedger(fixture.db)).findings).toEqual([
    { balance: 'usage_hours.quota', owner: userId, found: 119, expected: 120 },
  ])
})

test('reports money of a deleted user row', async () => {
  await fixture.db.deleteFrom('users').execute()
  expect((await auditLedger(fixture.db)).findings).toContainEqual({
    balance: 'users.quota',
    owner: userId,
    found: 0,
    expected: 830,
  })
})

test('reports a log row that was changed or never charged', async () => {
  await fixture.db.updateTable('logs').set({ quota: 100 }).execute()
  expect((await auditLedger(fixture.db)).requests).toMatchObject([{ charges: 1, logs: 1, units: 20 }])
  await fixture.db
    .updateTable('postings')
    .set({ kind: 'lost', to_account: 'wallet' })
    .where('kind', '=', 'charge')
    .execute()
  expect((await auditLedger(fixture.db)).requests).toMatchObject([{ charges: 0, logs: 1, units: -100 }])
})

test('counts charges without a log row outside the drift, because old rows may be deleted', async () => {
  await fixture.db.deleteFrom('logs').execute()
  const { drift, counts } = await auditLedger(fixture.db)
  expect(drift).toBe(0)
  expect(counts.unloggedCharges).toBe(1)
})
