import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '../core/clock.ts'
import { quota } from '../core/money.ts'
import { auditLedger } from './audit.ts'
import type { Hold } from './ledger-command.ts'
import {
  buildBill,
  buildHoldRequest,
  buildLogEntry,
  createChannel,
  createToken,
  createUser,
  LEDGER_OPTIONS,
  openTestLedger,
  readToken,
  readWallet,
  type TestLedger,
} from './testing.ts'

let fixture: TestLedger
let isLogged = true

beforeEach(async () => {
  isLogged = true
  fixture = await openTestLedger({ options: () => ({ ...LEDGER_OPTIONS, LogConsumeEnabled: isLogged }) })
})

afterEach(async () => {
  const report = await auditLedger(fixture.db)
  await fixture.close()
  expect(report.findings).toEqual([])
  expect(report.requests).toEqual([])
  expect(report.drift).toBe(0)
})

describe('reserve', () => {
  test('moves the amount from the free to the held balance and from the token limit', async () => {
    const userId = await createUser(fixture.db, 1000)
    const tokenId = await createToken(fixture.db, userId, 500)
    await fixture.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    expect(await readWallet(fixture.db, userId)).toEqual({
      quota: 700,
      held_quota: 300,
      used_quota: 0,
      request_count: 0,
    })
    expect(await readToken(fixture.db, tokenId)).toEqual({ remain_quota: 200, used_quota: 0 })
  })

  test('reserves nothing when the token cannot afford it', async () => {
    const userId = await createUser(fixture.db, 1000)
    const tokenId = await createToken(fixture.db, userId, 299)
    const rejected = fixture.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    await expect(rejected).rejects.toMatchObject({
      code: 'insufficient_token_quota',
      message: 'the token has $0.000598 left, the request needs $0.000600',
    })
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
    expect(await readToken(fixture.db, tokenId)).toMatchObject({ remain_quota: 299 })
  })

  test.each([
    { wallet: 1000, token: 1000, isShort: undefined },
    { wallet: 200, token: 1000, isShort: true },
    { wallet: 1000, token: 200, isShort: true },
  ] as const)('says when wallet ($wallet) or token ($token) have less than the amount', async funds => {
    const userId = await createUser(fixture.db, funds.wallet)
    const tokenId = await createToken(fixture.db, userId, funds.token)
    const request = { ...buildHoldRequest(userId, 300, tokenId), minimum: quota(100) }
    expect((await fixture.ledger.reserve(request)).isShort).toBe(funds.isShort)
  })

  test('reserves nothing when the wallet cannot afford it', async () => {
    const userId = await createUser(fixture.db, 299)
    const tokenId = await createToken(fixture.db, userId, 1000)
    const rejected = fixture.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    await expect(rejected).rejects.toMatchObject({
      code: 'insufficient_user_quota',
      message: 'the account has $0.000598 left, the request needs $0.000600',
    })
    expect(await readToken(fixture.db, tokenId)).toMatchObject({ remain_quota: 1000 })
  })

  test('does not change the limit of an unlimited token', async () => {
    const userId = await createUser(fixture.db, 1000)
    const tokenId = await createToken(fixture.db, userId, 5)
    const hold = await fixture.ledger.reserve({
      ...buildHoldRequest(userId, 300, tokenId),
      isTokenLimited: false,
    })
    expect(await readToken(fixture.db, tokenId)).toEqual({ remain_quota: 5, used_quota: 0 })
    await fixture.ledger.settle(hold, buildBill(200))
    expect(await readToken(fixture.db, tokenId)).toEqual({ remain_quota: 5, used_quota: 200 })
  })

  test('grants a free request on an empty wallet', async () => {
    const userId = await createUser(fixture.db, 0)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 0))
    await fixture.ledger.settle(hold, buildBill(0))
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 0, request_count: 1 })
  })

  test('grants exactly 10 of 200 concurrent requests on a wallet with funds for 10', async () => {
    const userId = await createUser(fixture.db, 1000)
    const tokenId = await createToken(fixture.db, userId, 5000)
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, () => fixture.ledger.reserve(buildHoldRequest(userId, 100, tokenId))),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 0, held_quota: 1000 })
    expect(await readToken(fixture.db, tokenId)).toMatchObject({ remain_quota: 4000 })
  })

  test('grants exactly 10 of 200 concurrent requests on a token with funds for 10', async () => {
    const userId = await createUser(fixture.db, 5000)
    const tokenId = await createToken(fixture.db, userId, 1000)
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, () => fixture.ledger.reserve(buildHoldRequest(userId, 100, tokenId))),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 4000, held_quota: 1000 })
  })

  test('rejects a user without funds and grants the others of the same batch', async () => {
    const rich = await createUser(fixture.db, 1000)
    const poor = await createUser(fixture.db, 10)
    const results = await Promise.allSettled([
      fixture.ledger.reserve(buildHoldRequest(rich, 100)),
      fixture.ledger.reserve(buildHoldRequest(poor, 100)),
      fixture.ledger.reserve(buildHoldRequest(rich, 200)),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await readWallet(fixture.db, rich)).toMatchObject({ quota: 700, held_quota: 300 })
  })

  test('fails with storage_failed and reserves nothing when the same request id is reserved twice', async () => {
    const userId = await createUser(fixture.db, 1000)
    const other = await createUser(fixture.db, 1000)
    const request = buildHoldRequest(userId, 100)
    const results = await Promise.allSettled([
      fixture.ledger.reserve(request),
      fixture.ledger.reserve({ ...request, userId: other }),
    ])
    expect(results[1]).toMatchObject({ status: 'rejected', reason: { code: 'storage_failed' } })
    expect(await readWallet(fixture.db, other)).toMatchObject({ quota: 1000, held_quota: 0 })
  })
})

describe('settle', () => {
  test('records the last time at which a token paid for a response, and no other use', async () => {
    const userId = await createUser(fixture.db, 1000)
    const tokenId = await createToken(fixture.db, userId, 500)
    const lastUse = async () =>
      (
        await fixture.db
          .selectFrom('tokens')
          .select('accessed_time')
          .where('id', '=', tokenId)
          .executeTakeFirstOrThrow()
      ).accessed_time
    const at = async (seconds: number, close: 'settle' | 'release', amount = 10) => {
      const restore = setClock({ nowMs: () => seconds * 1000, elapsedMs: () => 0 })
      try {
        const hold = await fixture.ledger.reserve(buildHoldRequest(userId, amount, tokenId))
        await (close === 'settle'
          ? fixture.ledger.settle(hold, buildBill(amount))
          : fixture.ledger.release(hold))
      } finally {
        restore()
      }
    }
    await at(50, 'release')
    expect(await lastUse()).toBe(1)
    await at(70, 'settle')
    await at(60, 'settle')
    expect(await lastUse()).toBe(70)
    await at(80, 'settle', 0)
    expect(await lastUse()).toBe(80)
  })

  test('charges the bill, returns the rest and writes log row, receipt and hour', async () => {
    const userId = await createUser(fixture.db, 1000)
    const tokenId = await createToken(fixture.db, userId, 500)
    const channelId = await createChannel(fixture.db)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    await fixture.ledger.settle(hold, buildBill(120, channelId))

    expect(await readWallet(fixture.db, userId)).toEqual({
      quota: 880,
      held_quota: 0,
      used_quota: 120,
      request_count: 1,
    })
    expect(await readToken(fixture.db, tokenId)).toEqual({ remain_quota: 380, used_quota: 120 })
    const channel = await fixture.db.selectFrom('channels').select('used_quota').executeTakeFirstOrThrow()
    expect(channel.used_quota).toBe(120)
    const log = await fixture.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
    expect(log).toMatchObject({
      request_id: hold.requestId,
      user_id: userId,
      token_id: tokenId,
      channel_id: channelId,
      type: 2,
      quota: 120,
      use_time: 1,
      is_stream: 1,
    })
    const receipt = await fixture.db
      .selectFrom('receipts')
      .select(['log_id', 'body'])
      .executeTakeFirstOrThrow()
    expect(receipt).toEqual({ log_id: log.id, body: '{"exact":"120"}' })
    const hour = await fixture.db.selectFrom('usage_hours').selectAll().executeTakeFirstOrThrow()
    expect(hour).toMatchObject({ count: 1, quota: 120, prompt_tokens: 10, completion_tokens: 5, type: 2 })
  })

  test('adds the usage of all requests of a batch to their hour', async () => {
    const userId = await createUser(fixture.db, 10_000)
    const holds = await Promise.all(
      Array.from({ length: 37 }, () => fixture.ledger.reserve(buildHoldRequest(userId, 100))),
    )
    await Promise.all(holds.map(hold => fixture.ledger.settle(hold, buildBill(7))))
    const hours = await fixture.db.selectFrom('usage_hours').selectAll().execute()
    expect(hours.reduce((sum, hour) => sum + hour.count, 0)).toBe(37)
    expect(hours.reduce((sum, hour) => sum + hour.quota, 0)).toBe(37 * 7)
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 10_000 - 37 * 7, used_quota: 37 * 7 })
  })

  test('posts an overrun and lets the wallet drop below zero when a charge exceeds its hold', async () => {
    const userId = await createUser(fixture.db, 100)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 100))
    await fixture.ledger.settle(hold, buildBill(130))
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: -30, held_quota: 0, used_quota: 130 })
    const overrun = await fixture.db
      .selectFrom('postings')
      .selectAll()
      .where('kind', '=', 'overrun')
      .execute()
    expect(overrun).toMatchObject([{ from_account: 'wallet', to_account: 'held', amount: 30 }])
  })

  test('charges once when repeated in the same batch or later, and after a release', async () => {
    const userId = await createUser(fixture.db, 1000)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 100))
    await Promise.all([
      fixture.ledger.settle(hold, buildBill(40)),
      fixture.ledger.settle(hold, buildBill(90)),
    ])
    await fixture.ledger.settle(hold, buildBill(90))
    await fixture.ledger.release(hold)
    expect(await readWallet(fixture.db, userId)).toMatchObject({
      quota: 960,
      held_quota: 0,
      request_count: 1,
    })

    const other = await fixture.ledger.reserve(buildHoldRequest(userId, 100))
    await fixture.ledger.release(other)
    await fixture.ledger.settle(other, buildBill(90))
    expect(await readWallet(fixture.db, userId)).toMatchObject({
      quota: 870,
      held_quota: 0,
      request_count: 2,
    })
  })

  test('charges and counts without a log row or receipt while consumption logging is off', async () => {
    isLogged = false
    const userId = await createUser(fixture.db, 1000)
    await fixture.ledger.settle(await fixture.ledger.reserve(buildHoldRequest(userId, 100)), buildBill(40))
    expect(await fixture.db.selectFrom('logs').selectAll().execute()).toEqual([])
    expect(await fixture.db.selectFrom('receipts').selectAll().execute()).toEqual([])
    expect(await fixture.db.selectFrom('usage_hours').selectAll().execute()).toMatchObject([{ quota: 40 }])
    expect((await auditLedger(fixture.db)).counts.unloggedCharges).toBe(1)
  })

  test('stores texts with characters that the database rejects', async () => {
    const userId = await createUser(fixture.db, 1000)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 100))
    const bill = buildBill(40)
    await fixture.ledger.settle(hold, { ...bill, entry: { ...bill.entry, content: 'a\0b\ud800' } })
    expect(await readWallet(fixture.db, userId)).toMatchObject({ used_quota: 40 })
  })
})

describe('release', () => {
  test('returns the whole hold to wallet and token', async () => {
    const userId = await createUser(fixture.db, 1000)
    const tokenId = await createToken(fixture.db, userId, 500)
    await fixture.ledger.release(await fixture.ledger.reserve(buildHoldRequest(userId, 300, tokenId)))
    expect(await readWallet(fixture.db, userId)).toMatchObject({
      quota: 1000,
      held_quota: 0,
      request_count: 0,
    })
    expect(await readToken(fixture.db, tokenId)).toEqual({ remain_quota: 500, used_quota: 0 })
  })

  test('writes a log row of type 5 without a charge for a failed request', async () => {
    const userId = await createUser(fixture.db, 1000)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 300))
    await fixture.ledger.release(hold, { entry: buildLogEntry(3), receipt: { status: 502 } })
    const logs = await fixture.db.selectFrom('logs').selectAll().execute()
    expect(logs).toMatchObject([{ type: 5, quota: 0, channel_id: 3, request_id: hold.requestId }])
    const hours = await fixture.db.selectFrom('usage_hours').selectAll().execute()
    expect(hours).toMatchObject([{ type: 5, quota: 0, count: 1 }])
  })
})

describe('extend', () => {
  test('extends a hold while wallet and token can afford it', async () => {
    const userId = await createUser(fixture.db, 1000)
    const tokenId = await createToken(fixture.db, userId, 500)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    const grown = await fixture.ledger.extend(hold, quota(200))
    expect(grown?.amount).toBe(quota(500))
    expect(await fixture.ledger.extend(hold, quota(1))).toBeUndefined()
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 500, held_quota: 500 })
    await fixture.ledger.settle(hold, buildBill(450))
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 550, held_quota: 0 })
  })

  test('rejects the extension of a closed hold', async () => {
    const userId = await createUser(fixture.db, 1000)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 300))
    await fixture.ledger.release(hold)
    expect(await fixture.ledger.extend(hold, quota(10))).toBeUndefined()
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
  })
})

test('close rejects new holds and resolves after all pending commands are written', async () => {
  const userId = await createUser(fixture.db, 1000)
  const holds: Hold[] = await Promise.all(
    [1, 2, 3].map(() => fixture.ledger.reserve(buildHoldRequest(userId, 100))),
  )
  const settling = holds.map(hold => fixture.ledger.settle(hold, buildBill(50)))
  await fixture.ledger.close()
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 850, held_quota: 0 })
  await Promise.all(settling)
  await expect(fixture.ledger.reserve(buildHoldRequest(userId, 1))).rejects.toMatchObject({
    code: 'storage_failed',
  })
})
