import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newRequestId } from '../core/ids.ts'
import { quota } from '../core/money.ts'
import { auditLedger } from './audit.ts'
import type { Hold, Ledger } from './ledger.ts'
import {
  buildBill,
  buildHoldRequest,
  buildLogEntry,
  createToken,
  createUser,
  loseHold,
  openTestLedger,
  readToken,
  readWallet,
  type TestLedger,
} from './testing.ts'

const WALLET = 1000
const HELD = 100
const failure = { entry: buildLogEntry(), receipt: { status: 502, code: 'bad_gateway' } }

let fixture: TestLedger
let userId: number
let tokenId: number

beforeEach(async () => {
  fixture = await openTestLedger()
  userId = await createUser(fixture.db, WALLET)
  tokenId = await createToken(fixture.db, userId, WALLET)
})
afterEach(async () => {
  const { drift } = await auditLedger(fixture.db)
  await fixture.close()
  expect(drift).toBe(0)
})

/** Reserves as a request does, and loses the hold as a failover to a standby that lagged does. */
async function reserveAndLose(amount = HELD): Promise<Hold> {
  const hold = await fixture.ledger.reserve(buildHoldRequest(userId, amount, tokenId))
  await loseHold(fixture.db, hold)
  return hold
}

async function readState() {
  const { db } = fixture
  const wallet = await readWallet(db, userId)
  const token = await readToken(db, tokenId)
  return {
    postings: await db
      .selectFrom('postings')
      .select(['kind', 'amount'])
      .where('kind', 'not in', ['gift', 'limit'])
      .orderBy('id')
      .execute(),
    logs: await db.selectFrom('logs').select(['type', 'quota']).execute(),
    receipts: (await db.selectFrom('receipts').select('body').execute()).length,
    holds: await db.selectFrom('holds').select('amount').execute(),
    wallet: [wallet.quota, wallet.held_quota, wallet.used_quota],
    token: token.remain_quota,
  }
}

const CHARGED = { logs: [{ type: 2, quota: 40 }], receipts: 1, holds: [], wallet: [960, 0, 40], token: 960 }
const FAILED = { logs: [{ type: 5, quota: 0 }], receipts: 1, holds: [], wallet: [1000, 0, 0], token: 1000 }

describe('a hold that a failover lost between', () => {
  test.each<
    readonly [string, (ledger: Ledger, hold: Hold) => Promise<unknown>, Awaited<ReturnType<typeof readState>>]
  >([
    [
      'reserve and settle is charged with log row and receipt',
      (ledger, hold) => ledger.settle(hold, buildBill(40)),
      {
        ...CHARGED,
        postings: [
          { kind: 'overrun', amount: 40 },
          { kind: 'charge', amount: 40 },
        ],
      },
    ],
    [
      'reserve and the end of a failed request leaves its log row and receipt',
      (ledger, hold) => ledger.release(hold, failure),
      { ...FAILED, postings: [{ kind: 'release', amount: 0 }] },
    ],
    [
      'reserve and the end of a failed task leaves its log row and receipt',
      (ledger, hold) => ledger.release({ ...hold, belongsToTask: true }, failure),
      { ...FAILED, postings: [{ kind: 'release', amount: 0 }] },
    ],
    [
      'reserve and a release that logs nothing leaves nothing',
      (ledger, hold) => ledger.release(hold),
      { ...FAILED, logs: [], receipts: 0, postings: [] },
    ],
  ])('%s, once', async (_, close, expected) => {
    const hold = await reserveAndLose()
    await Promise.all([close(fixture.ledger, hold), close(fixture.ledger, hold)])
    await close(fixture.ledger, hold)
    expect(await readState()).toEqual(expected)
  })

  test('reserve and extend is reserved anew with all of its amount', async () => {
    const extended = await fixture.ledger.extend(await reserveAndLose(), quota(50))
    expect(extended?.amount).toBe(quota(150))
    expect(await readState()).toMatchObject({
      postings: [{ kind: 'hold', amount: 150 }],
      holds: [{ amount: 150 }],
      wallet: [850, 150, 0],
      token: 850,
    })
    if (extended) await fixture.ledger.settle(extended, buildBill(40))
    expect(await readState()).toMatchObject(CHARGED)
  })

  test('two extensions is reserved anew beside requests of the same batch', async () => {
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, HELD, tokenId))
    const first = await fixture.ledger.extend(hold, quota(50))
    if (!first) throw new Error('the hold was not extended')
    await loseHold(fixture.db, first)
    const [second, other] = await Promise.all([
      fixture.ledger.extend(first, quota(50)),
      fixture.ledger.reserve(buildHoldRequest(userId, HELD, tokenId)),
    ])
    expect(second?.amount).toBe(quota(200))
    expect(await readState()).toMatchObject({ wallet: [700, 300, 0], token: 700 })
    await fixture.ledger.release(other)
    if (second) await fixture.ledger.settle(second, buildBill(40))
    expect(await readState()).toMatchObject(CHARGED)
  })

  test.each([
    ['the wallet', async () => void (await fixture.ledger.reserve(buildHoldRequest(userId, 900)))],
    ['the token', async () => void (await fixture.ledger.reserve(buildHoldRequest(userId, 900, tokenId)))],
  ])(
    'reserve and extend is not extended when %s cannot pay for all of it, and is charged',
    async (_, spend) => {
      const hold = await reserveAndLose()
      await spend()
      expect(await fixture.ledger.extend(hold, quota(1))).toBeUndefined()
      await fixture.ledger.settle(hold, buildBill(40))
      expect(await readState()).toMatchObject({ holds: [{ amount: 900 }], wallet: [60, 900, 40] })
    },
  )

  test.each([
    ['settled', (hold: Hold) => fixture.ledger.settle(hold, buildBill(40))],
    ['released', (hold: Hold) => fixture.ledger.release(hold, failure)],
  ])('is not extended once it was %s without its row', async (_, close) => {
    const hold = await reserveAndLose()
    const [, extended] = await Promise.all([close(hold), fixture.ledger.extend(hold, quota(50))])
    expect(extended).toBeUndefined()
    expect(await fixture.ledger.extend(hold, quota(50))).toBeUndefined()
    expect(await readState()).toMatchObject({ holds: [] })
  })

  test('covers no more than its payer has left', async () => {
    const hold = await reserveAndLose()
    expect(await fixture.ledger.affordable(hold)).toBe(quota(100))
    await fixture.ledger.reserve(buildHoldRequest(userId, 970))
    expect(await fixture.ledger.affordable(hold)).toBe(quota(30))
  })
})

test('a failure of a free request is logged once when its end is repeated', async () => {
  const hold = await fixture.ledger.reserve({ ...buildHoldRequest(userId, 0), requestId: newRequestId() })
  for (const _ of [1, 2]) await fixture.ledger.release(hold, failure)
  expect(await readState()).toMatchObject({ logs: [{ type: 5 }], wallet: [1000, 0, 0] })
})
