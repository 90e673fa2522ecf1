import { afterEach, beforeEach, expect, test } from 'bun:test'
import { silentLog } from '../kernel/log.ts'
import type { Hold } from './hold.ts'
import { type Ledger, openLedger } from './ledger.ts'
import {
  billOf,
  createChannel,
  createToken,
  createUser,
  openTestBooks,
  type TestBooks,
  walletOf,
  wishOf,
} from './testing.ts'
import { verify } from './verify.ts'

const PROCESSES = 4
let books: TestBooks
let ledgers: Ledger[] = []

beforeEach(async () => {
  books = await openTestBooks()
  const { db, engine } = books.opened
  ledgers = Array.from({ length: PROCESSES }, (_, index) =>
    openLedger({
      db,
      engine,
      log: silentLog,
      processId: `process ${index}`,
      isConsumptionLogged: () => true,
    }),
  )
})

afterEach(async () => {
  await Promise.all(ledgers.map(ledger => ledger.close()))
  const report = await verify(books.db)
  await books.close()
  expect(report.findings).toEqual([])
  expect(report.requests).toEqual([])
})

const ledgerOf = (index: number): Ledger => ledgers[index % PROCESSES] ?? books.ledger

test('four processes serve exactly 10 of 200 simultaneous requests on a wallet for 10', async () => {
  const userId = await createUser(books.db, 1000)
  const answers = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) => ledgerOf(index).reserve(wishOf(userId, 100))),
  )
  expect(answers.filter(answer => answer.status === 'fulfilled')).toHaveLength(10)
  const refusals = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason.code] : []))
  expect(new Set(refusals)).toEqual(new Set(['insufficient_user_quota']))
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
    const hold: Hold = await ledgerOf(index).reserve(wishOf(person.userId, 100, person.tokenId))
    await ledgerOf(index + 1).settle(hold, billOf(30 + (index % 90), channelId))
  }
  await Promise.all(Array.from({ length: 600 }, (_, index) => serve(index)))
  const wallets = await Promise.all(people.map(person => walletOf(books.db, person.userId)))
  expect(wallets.reduce((sum, wallet) => sum + wallet.request_count, 0)).toBe(600)
})

test('a transaction that fails half way charges nobody, and the charge is made once the storage works again', async () => {
  const userId = await createUser(books.db, 1000)
  const hold = await books.ledger.reserve(wishOf(userId, 100))
  await books.db.schema.alterTable('usage_hours').renameTo('hours_away').execute()
  const settling = books.ledger.settle(hold, billOf(60))
  await Bun.sleep(20)
  expect(await walletOf(books.db, userId)).toMatchObject({ quota: 900, held_quota: 100, used_quota: 0 })
  expect(await books.db.selectFrom('logs').selectAll().execute()).toEqual([])
  await books.db.schema.alterTable('hours_away').renameTo('usage_hours').execute()
  await settling
  expect(await walletOf(books.db, userId)).toMatchObject({ quota: 940, held_quota: 0, used_quota: 60 })
})
