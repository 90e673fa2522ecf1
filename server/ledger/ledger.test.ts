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
  openTestLedger,
  readToken,
  readWallet,
  type TestLedger,
} from './testing.ts'

let books: TestLedger
let isLogged = true

beforeEach(async () => {
  isLogged = true
  books = await openTestLedger({ isConsumptionLogged: () => isLogged })
})

afterEach(async () => {
  const report = await auditLedger(books.db)
  await books.close()
  expect(report.findings).toEqual([])
  expect(report.requests).toEqual([])
  expect(report.drift).toBe(0)
})

describe('reserve', () => {
  test('moves the amount from free to held, on wallet and token', async () => {
    const userId = await createUser(books.db, 1000)
    const tokenId = await createToken(books.db, userId, 500)
    await books.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    expect(await readWallet(books.db, userId)).toEqual({
      quota: 700,
      held_quota: 300,
      used_quota: 0,
      request_count: 0,
    })
    expect(await readToken(books.db, tokenId)).toEqual({ remain_quota: 200, used_quota: 0 })
  })

  test('takes from neither when the token cannot afford it', async () => {
    const userId = await createUser(books.db, 1000)
    const tokenId = await createToken(books.db, userId, 299)
    const refused = books.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    await expect(refused).rejects.toMatchObject({
      code: 'insufficient_token_quota',
      message: 'the token has 299 units left, 300 are needed',
    })
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
    expect(await readToken(books.db, tokenId)).toMatchObject({ remain_quota: 299 })
  })

  test('takes from neither when the wallet cannot afford it', async () => {
    const userId = await createUser(books.db, 299)
    const tokenId = await createToken(books.db, userId, 1000)
    const refused = books.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    await expect(refused).rejects.toMatchObject({
      code: 'insufficient_user_quota',
      message: 'the account has 299 units left, 300 are needed',
    })
    expect(await readToken(books.db, tokenId)).toMatchObject({ remain_quota: 1000 })
  })

  test('leaves an unlimited token alone', async () => {
    const userId = await createUser(books.db, 1000)
    const tokenId = await createToken(books.db, userId, 5)
    const hold = await books.ledger.reserve({
      ...buildHoldRequest(userId, 300, tokenId),
      isTokenLimited: false,
    })
    expect(await readToken(books.db, tokenId)).toEqual({ remain_quota: 5, used_quota: 0 })
    await books.ledger.settle(hold, buildBill(200))
    expect(await readToken(books.db, tokenId)).toEqual({ remain_quota: 5, used_quota: 200 })
  })

  test('grants a free request on an empty wallet', async () => {
    const userId = await createUser(books.db, 0)
    const hold = await books.ledger.reserve(buildHoldRequest(userId, 0))
    await books.ledger.settle(hold, buildBill(0))
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 0, request_count: 1 })
  })

  test('serves exactly 10 of 200 simultaneous requests on a wallet for 10', async () => {
    const userId = await createUser(books.db, 1000)
    const tokenId = await createToken(books.db, userId, 5000)
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, () => books.ledger.reserve(buildHoldRequest(userId, 100, tokenId))),
    )
    expect(answers.filter(answer => answer.status === 'fulfilled')).toHaveLength(10)
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 0, held_quota: 1000 })
    expect(await readToken(books.db, tokenId)).toMatchObject({ remain_quota: 4000 })
  })

  test('serves exactly 10 of 200 simultaneous requests on a token for 10', async () => {
    const userId = await createUser(books.db, 5000)
    const tokenId = await createToken(books.db, userId, 1000)
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, () => books.ledger.reserve(buildHoldRequest(userId, 100, tokenId))),
    )
    expect(answers.filter(answer => answer.status === 'fulfilled')).toHaveLength(10)
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 4000, held_quota: 1000 })
  })

  test('refuses one poor user in a batch without refusing the others', async () => {
    const rich = await createUser(books.db, 1000)
    const poor = await createUser(books.db, 10)
    const answers = await Promise.allSettled([
      books.ledger.reserve(buildHoldRequest(rich, 100)),
      books.ledger.reserve(buildHoldRequest(poor, 100)),
      books.ledger.reserve(buildHoldRequest(rich, 200)),
    ])
    expect(answers.map(answer => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await readWallet(books.db, rich)).toMatchObject({ quota: 700, held_quota: 300 })
  })

  test('answers storage_failed and takes nothing when the same request id is reserved twice', async () => {
    const userId = await createUser(books.db, 1000)
    const other = await createUser(books.db, 1000)
    const wish = buildHoldRequest(userId, 100)
    const answers = await Promise.allSettled([
      books.ledger.reserve(wish),
      books.ledger.reserve({ ...wish, userId: other }),
    ])
    expect(answers[1]).toMatchObject({ status: 'rejected', reason: { code: 'storage_failed' } })
    expect(await readWallet(books.db, other)).toMatchObject({ quota: 1000, held_quota: 0 })
  })
})

describe('settle', () => {
  test('a token tells when an answer was last paid by it, and nothing else counts as use', async () => {
    const userId = await createUser(books.db, 1000)
    const tokenId = await createToken(books.db, userId, 500)
    const lastUse = async () =>
      (
        await books.db
          .selectFrom('tokens')
          .select('accessed_time')
          .where('id', '=', tokenId)
          .executeTakeFirstOrThrow()
      ).accessed_time
    const at = async (seconds: number, close: 'settle' | 'release', amount = 10) => {
      const restore = setClock({ nowMs: () => seconds * 1000, elapsedMs: () => 0 })
      try {
        const hold = await books.ledger.reserve(buildHoldRequest(userId, amount, tokenId))
        await (close === 'settle' ? books.ledger.settle(hold, buildBill(amount)) : books.ledger.release(hold))
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

  test('charges the bill, returns the rest and writes row, receipt and hour', async () => {
    const userId = await createUser(books.db, 1000)
    const tokenId = await createToken(books.db, userId, 500)
    const channelId = await createChannel(books.db)
    const hold = await books.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    await books.ledger.settle(hold, buildBill(120, channelId))

    expect(await readWallet(books.db, userId)).toEqual({
      quota: 880,
      held_quota: 0,
      used_quota: 120,
      request_count: 1,
    })
    expect(await readToken(books.db, tokenId)).toEqual({ remain_quota: 380, used_quota: 120 })
    const channel = await books.db.selectFrom('channels').select('used_quota').executeTakeFirstOrThrow()
    expect(channel.used_quota).toBe(120)
    const log = await books.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
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
    const receipt = await books.db.selectFrom('receipts').select(['log_id', 'body']).executeTakeFirstOrThrow()
    expect(receipt).toEqual({ log_id: log.id, body: '{"exact":"120"}' })
    const hour = await books.db.selectFrom('usage_hours').selectAll().executeTakeFirstOrThrow()
    expect(hour).toMatchObject({ count: 1, quota: 120, prompt_tokens: 10, completion_tokens: 5, type: 2 })
  })

  test('adds up in one hour what many requests of a batch used', async () => {
    const userId = await createUser(books.db, 10_000)
    const holds = await Promise.all(
      Array.from({ length: 37 }, () => books.ledger.reserve(buildHoldRequest(userId, 100))),
    )
    await Promise.all(holds.map(hold => books.ledger.settle(hold, buildBill(7))))
    const hours = await books.db.selectFrom('usage_hours').selectAll().execute()
    expect(hours.reduce((sum, hour) => sum + hour.count, 0)).toBe(37)
    expect(hours.reduce((sum, hour) => sum + hour.quota, 0)).toBe(37 * 7)
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 10_000 - 37 * 7, used_quota: 37 * 7 })
  })

  test('takes what exceeds the hold from the wallet, below zero if it must, with a posting of its own', async () => {
    const userId = await createUser(books.db, 100)
    const hold = await books.ledger.reserve(buildHoldRequest(userId, 100))
    await books.ledger.settle(hold, buildBill(130))
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: -30, held_quota: 0, used_quota: 130 })
    const overrun = await books.db.selectFrom('postings').selectAll().where('kind', '=', 'overrun').execute()
    expect(overrun).toMatchObject([{ from_account: 'wallet', to_account: 'held', amount: 30 }])
  })

  test('changes nothing when repeated, together or later, or after a release', async () => {
    const userId = await createUser(books.db, 1000)
    const hold = await books.ledger.reserve(buildHoldRequest(userId, 100))
    await Promise.all([books.ledger.settle(hold, buildBill(40)), books.ledger.settle(hold, buildBill(90))])
    await books.ledger.settle(hold, buildBill(90))
    await books.ledger.release(hold)
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 960, held_quota: 0, request_count: 1 })

    const other = await books.ledger.reserve(buildHoldRequest(userId, 100))
    await books.ledger.release(other)
    await books.ledger.settle(other, buildBill(90))
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 960, held_quota: 0, request_count: 1 })
  })

  test('writes no row and no receipt while consumption logging is off, but charges and counts', async () => {
    isLogged = false
    const userId = await createUser(books.db, 1000)
    await books.ledger.settle(await books.ledger.reserve(buildHoldRequest(userId, 100)), buildBill(40))
    expect(await books.db.selectFrom('logs').selectAll().execute()).toEqual([])
    expect(await books.db.selectFrom('receipts').selectAll().execute()).toEqual([])
    expect(await books.db.selectFrom('usage_hours').selectAll().execute()).toMatchObject([{ quota: 40 }])
    expect((await auditLedger(books.db)).counts.unloggedCharges).toBe(1)
  })

  test('stores texts with characters that a database refuses', async () => {
    const userId = await createUser(books.db, 1000)
    const hold = await books.ledger.reserve(buildHoldRequest(userId, 100))
    const bill = buildBill(40)
    await books.ledger.settle(hold, { ...bill, entry: { ...bill.entry, content: 'a\0b\ud800' } })
    expect(await readWallet(books.db, userId)).toMatchObject({ used_quota: 40 })
  })
})

describe('release', () => {
  test('gives everything back to wallet and token', async () => {
    const userId = await createUser(books.db, 1000)
    const tokenId = await createToken(books.db, userId, 500)
    await books.ledger.release(await books.ledger.reserve(buildHoldRequest(userId, 300, tokenId)))
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000, held_quota: 0, request_count: 0 })
    expect(await readToken(books.db, tokenId)).toEqual({ remain_quota: 500, used_quota: 0 })
  })

  test('writes a row of type 5 without a charge for a failed request', async () => {
    const userId = await createUser(books.db, 1000)
    const hold = await books.ledger.reserve(buildHoldRequest(userId, 300))
    await books.ledger.release(hold, { entry: buildLogEntry(3), receipt: { status: 502 } })
    const logs = await books.db.selectFrom('logs').selectAll().execute()
    expect(logs).toMatchObject([{ type: 5, quota: 0, channel_id: 3, request_id: hold.requestId }])
    const hours = await books.db.selectFrom('usage_hours').selectAll().execute()
    expect(hours).toMatchObject([{ type: 5, quota: 0, count: 1 }])
  })
})

describe('extend', () => {
  test('grows a hold while wallet and token can afford it', async () => {
    const userId = await createUser(books.db, 1000)
    const tokenId = await createToken(books.db, userId, 500)
    const hold = await books.ledger.reserve(buildHoldRequest(userId, 300, tokenId))
    const grown = await books.ledger.extend(hold, quota(200))
    expect(grown?.amount).toBe(quota(500))
    expect(await books.ledger.extend(hold, quota(1))).toBeUndefined()
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 500, held_quota: 500 })
    await books.ledger.settle(hold, buildBill(450))
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 550, held_quota: 0 })
  })

  test('is refused for a hold that is closed', async () => {
    const userId = await createUser(books.db, 1000)
    const hold = await books.ledger.reserve(buildHoldRequest(userId, 300))
    await books.ledger.release(hold)
    expect(await books.ledger.extend(hold, quota(10))).toBeUndefined()
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
  })
})

test('close resolves after everything asked for is written, and new holds are refused', async () => {
  const userId = await createUser(books.db, 1000)
  const holds: Hold[] = await Promise.all(
    [1, 2, 3].map(() => books.ledger.reserve(buildHoldRequest(userId, 100))),
  )
  const settling = holds.map(hold => books.ledger.settle(hold, buildBill(50)))
  await books.ledger.close()
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 850, held_quota: 0 })
  await Promise.all(settling)
  await expect(books.ledger.reserve(buildHoldRequest(userId, 1))).rejects.toMatchObject({
    code: 'storage_failed',
  })
})
