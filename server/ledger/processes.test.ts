import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newRequestId } from '../core/ids.ts'
import { noopLogger } from '../core/logger.ts'
import { assignHoldToTask } from '../db/billing/holds.ts'
import { auditLedger } from './audit.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { Hold, HoldRequest } from './ledger-command.ts'
import {
  buildBill,
  buildHoldRequest,
  createChannel,
  createToken,
  createUser,
  openTestLedger,
  readWallet,
  type TestLedger,
} from './testing.ts'

const PROCESSES = 4
let books: TestLedger
let ledgers: Ledger[] = []

beforeEach(async () => {
  books = await openTestLedger()
  const { db, engine } = books.opened
  ledgers = Array.from({ length: PROCESSES }, (_, index) =>
    openLedger({
      db,
      engine,
      log: noopLogger,
      processId: `process ${index}`,
      isConsumptionLogged: () => true,
    }),
  )
})

afterEach(async () => {
  await Promise.all(ledgers.map(ledger => ledger.close()))
  const report = await auditLedger(books.db)
  await books.close()
  expect(report.findings).toEqual([])
  expect(report.requests).toEqual([])
})

const ledgerOf = (index: number): Ledger => ledgers[index % PROCESSES] ?? books.ledger

test('four processes serve exactly 10 of 200 simultaneous requests on a wallet for 10', async () => {
  const userId = await createUser(books.db, 1000)
  const answers = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) => ledgerOf(index).reserve(buildHoldRequest(userId, 100))),
  )
  expect(answers.filter(answer => answer.status === 'fulfilled')).toHaveLength(10)
  const refusals = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason.code] : []))
  expect(new Set(refusals)).toEqual(new Set(['insufficient_user_quota']))
})

describe('limits of requests under way', () => {
  const openAtOnce = async (wishes: readonly HoldRequest[]) => {
    const answers = await Promise.allSettled(wishes.map((wish, index) => ledgerOf(index).reserve(wish)))
    return {
      opened: answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : [])),
      refusals: answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : [])),
    }
  }

  test('four processes open no more holds of a user than may be, and each that ends makes room for one', async () => {
    const userId = await createUser(books.db, 100_000)
    const tokens = await Promise.all([1, 2].map(() => createToken(books.db, userId, 10_000)))
    const wishes = Array.from({ length: 60 }, (_, index) => ({
      ...buildHoldRequest(userId, 100, tokens[index % 3] ?? null),
      limits: { user: 7, token: 0 },
    }))
    const { opened, refusals } = await openAtOnce(wishes)
    expect(opened).toHaveLength(7)
    expect(refusals[0]).toMatchObject({
      code: 'too_many_requests',
      retryAfterSeconds: 1,
      message: '7 requests under way at once are the limit of the user, try again when one has ended',
    })
    expect(await readWallet(books.db, userId)).toMatchObject({ held_quota: 700 })
    await Promise.all(opened.slice(0, 3).map(hold => books.ledger.release(hold)))
    const again = await openAtOnce(wishes.map(wish => ({ ...wish, requestId: newRequestId() })))
    expect(again.opened).toHaveLength(3)
    await Promise.all([...opened.slice(3), ...again.opened].map(hold => books.ledger.release(hold)))
  })

  test('a token has a limit of its own, beside which its owner and other owners go on', async () => {
    const [userId, otherId] = [await createUser(books.db, 9000), await createUser(books.db, 9000)]
    const tokenId = await createToken(books.db, userId, 9000)
    const limits = { user: 0, token: 2 }
    const many = (of: () => HoldRequest) => Array.from({ length: 8 }, of)
    const { opened } = await openAtOnce([
      ...many(() => ({ ...buildHoldRequest(userId, 1, tokenId), limits })),
      ...many(() => buildHoldRequest(userId, 1)),
      ...many(() => ({ ...buildHoldRequest(otherId, 1), limits })),
    ])
    expect(opened.filter(hold => hold.tokenId === tokenId)).toHaveLength(2)
    expect(opened).toHaveLength(2 + 8 + 8)
    await Promise.all(opened.map(hold => books.ledger.release(hold)))
  })

  test('free requests count, and what a vendor still draws does not', async () => {
    const userId = await createUser(books.db, 0)
    const free = () => ({ ...buildHoldRequest(userId, 0), limits: { user: 1, token: 0 } })
    const [drawn, second] = [free(), free()]
    await books.ledger.reserve(drawn)
    await expect(books.ledger.reserve(second)).rejects.toMatchObject({ code: 'too_many_requests' })
    await assignHoldToTask(books.db, drawn.requestId)
    await books.ledger.reserve(second)
    await Promise.all([drawn, second].map(hold => books.ledger.release(hold)))
  })
})

test('four processes charge the same users, tokens and channels at once and lose nothing', async () => {
  const people = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const userId = await createUser(books.db, 100_000)
      return { userId, tokenId: await createToken(books.db, userId, 90_000) }
    }),
  )
  const channels = await Promise.all([1, 2, 3].map(() => createChannel(books.db)))
  const serve = async (index: number): Promise<void> => {
    const person = people[(index * 7) % people.length]
    const channelId = channels[(index * 5) % channels.length]
    if (!person || channelId === undefined) throw new Error('nobody to serve')
    const hold: Hold = await ledgerOf(index).reserve(buildHoldRequest(person.userId, 100, person.tokenId))
    await ledgerOf(index + 1).settle(hold, buildBill(30 + (index % 90), channelId))
  }
  await Promise.all(Array.from({ length: 600 }, (_, index) => serve(index)))
  const wallets = await Promise.all(people.map(person => readWallet(books.db, person.userId)))
  expect(wallets.reduce((sum, wallet) => sum + wallet.request_count, 0)).toBe(600)
})

test('a transaction that fails half way charges nobody, and the charge is made once the storage works again', async () => {
  const userId = await createUser(books.db, 1000)
  const hold = await books.ledger.reserve(buildHoldRequest(userId, 100))
  await books.db.schema.alterTable('usage_hours').renameTo('hours_away').execute()
  const settling = books.ledger.settle(hold, buildBill(60))
  await Bun.sleep(20)
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 900, held_quota: 100, used_quota: 0 })
  expect(await books.db.selectFrom('logs').selectAll().execute()).toEqual([])
  await books.db.schema.alterTable('hours_away').renameTo('usage_hours').execute()
  await settling
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 940, held_quota: 0, used_quota: 60 })
})

describe('what another process closed', () => {
  /** Three holds of the first process, one of which another has released. */
  const openThree = async () => {
    const userId = await createUser(books.db, 1000)
    const first = ledgerOf(0)
    const holds = await Promise.all([1, 2, 3].map(() => first.reserve(buildHoldRequest(userId, 100))))
    const [released] = holds
    if (!released) throw new Error('nothing is held')
    await ledgerOf(1).release(released)
    return { userId, first, holds, released }
  }

  test('is not charged by the one that opened it', async () => {
    const { userId, first, holds, released } = await openThree()
    await first.settle(released, buildBill(40))
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 800, held_quota: 200, used_quota: 0 })
    await Promise.all(holds.map(each => first.release(each)))
  })

  test('does not keep the holds that are closed together with it from being charged', async () => {
    const { userId, first, holds } = await openThree()
    await Promise.all(holds.map(each => first.settle(each, buildBill(40))))
    expect(await readWallet(books.db, userId)).toMatchObject({ quota: 920, held_quota: 0, used_quota: 80 })
  })
})
