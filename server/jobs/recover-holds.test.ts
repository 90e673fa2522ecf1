import { afterEach, beforeEach, expect, test } from 'bun:test'
import { silentLog } from '../kernel/log.ts'
import { createUser, openTestBooks, type TestBooks, walletOf, wishOf } from '../ledger/testing.ts'
import { startHoldRecovery } from './recover-holds.ts'

let books: TestBooks

beforeEach(async () => {
  books = await openTestBooks({ processId: 'former' })
})

afterEach(() => books.close())

const start = () =>
  startHoldRecovery({ ...books.opened, ledger: books.ledger, log: silentLog, processId: 'present' })

test('says that this process lives, until it is stopped', async () => {
  const stop = await start()
  expect(await books.db.selectFrom('processes').select('id').execute()).toEqual([{ id: 'present' }])
  await stop()
  expect(await books.db.selectFrom('processes').select('id').execute()).toEqual([])
})

test('at the start of the only process what a former one left open is given back', async () => {
  const userId = await createUser(books.db, 1000)
  await books.ledger.reserve(wishOf(userId, 100))
  const stop = await startHoldRecovery({
    db: books.db,
    engine: 'sqlite',
    ledger: books.ledger,
    log: silentLog,
    processId: 'present',
  })
  expect(await walletOf(books.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
  await stop()
})

test('at the start of one of many processes the holds of the others stay', async () => {
  const userId = await createUser(books.db, 1000)
  await books.ledger.reserve(wishOf(userId, 100))
  const stop = await startHoldRecovery({
    db: books.db,
    engine: 'postgres',
    ledger: books.ledger,
    log: silentLog,
    processId: 'present',
  })
  expect(await walletOf(books.db, userId)).toMatchObject({ quota: 900, held_quota: 100 })
  await stop()
})
