import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../core/clock.ts'
import { noopLogger } from '../core/logger.ts'
import { recordHeartbeat } from '../db/system/processes.ts'
import { auditLedger } from './audit.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { CHECK_GAP_MS_MAX, createHoldRecovery, HOLD_LEASE_MS, releaseAllAbandonedHolds } from './recovery.ts'
import {
  buildBill,
  buildHoldRequest,
  createToken,
  createUser,
  openTestLedger,
  readToken,
  readWallet,
  type TestLedger,
} from './testing.ts'

let books: TestLedger
let userId = 0
let nowMs = 0
let restoreClock: () => void

beforeEach(async () => {
  books = await openTestLedger({ processId: 'first' })
  userId = await createUser(books.db, 1000)
  nowMs = 1_700_000_000_000
  restoreClock = setClock({ nowMs: () => nowMs, elapsedMs: () => nowMs })
})

afterEach(async () => {
  restoreClock()
  expect((await auditLedger(books.db)).drift).toBe(0)
  await books.close()
})

const second = () => ({ db: books.db, ledger: books.ledger, processId: 'second' })

/** Looks every few seconds for so long; gives how many holds were released. */
async function lookFor(ms: number, releaseAbandoned: () => Promise<number>): Promise<number> {
  let released = 0
  for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
    nowMs += Math.min(CHECK_GAP_MS_MAX, untilMs - nowMs)
    released += await releaseAbandoned()
  }
  return released
}

test('releases every hold of a former process at once', async () => {
  const tokenId = await createToken(books.db, userId, 500)
  await books.ledger.reserve(buildHoldRequest(userId, 100, tokenId))
  const hold = await books.ledger.reserve(buildHoldRequest(userId, 200, tokenId))
  expect(await releaseAllAbandonedHolds(second())).toBe(2)
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
  expect(await readToken(books.db, tokenId)).toMatchObject({ remain_quota: 500 })
  await books.ledger.settle(hold, buildBill(150))
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000, used_quota: 0 })
})

test('never touches its own holds', async () => {
  await books.ledger.reserve(buildHoldRequest(userId, 100))
  expect(await releaseAllAbandonedHolds({ ...second(), processId: 'first' })).toBe(0)
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 900, held_quota: 100 })
})

test('leaves the holds of a process whose heartbeat moves on', async () => {
  await books.ledger.reserve(buildHoldRequest(userId, 100))
  const releaseAbandoned = createHoldRecovery(second())
  for (let beat = 0; beat < 20; beat += 1) {
    await recordHeartbeat(books.db, 'first', beat)
    expect(await releaseAbandoned()).toBe(0)
    nowMs += HOLD_LEASE_MS / 3
  }
})

test('releases the holds of a process whose heartbeat has stood still for the lease, whatever its clock says', async () => {
  await recordHeartbeat(books.db, 'first', 9_999_999_999)
  await books.ledger.reserve(buildHoldRequest(userId, 100))
  const releaseAbandoned = createHoldRecovery(second())
  expect(await releaseAbandoned()).toBe(0)
  expect(await lookFor(HOLD_LEASE_MS - 1, releaseAbandoned)).toBe(0)
  nowMs += 1
  expect(await releaseAbandoned()).toBe(1)
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
  expect(await books.db.selectFrom('processes').select('id').execute()).toEqual([])
})

test('leaves the holds of processes that could not be heard while the database was away', async () => {
  await recordHeartbeat(books.db, 'first', 1)
  await books.ledger.reserve(buildHoldRequest(userId, 100))
  const releaseAbandoned = createHoldRecovery(second())
  expect(await releaseAbandoned()).toBe(0)
  nowMs += 2 * HOLD_LEASE_MS
  expect(await releaseAbandoned()).toBe(0)
  expect(await lookFor(HOLD_LEASE_MS - 1, releaseAbandoned)).toBe(0)
  nowMs += 1
  expect(await releaseAbandoned()).toBe(1)
})

test('leaves what a process opens that comes back while its holds are released', async () => {
  await recordHeartbeat(books.db, 'first', 1)
  await books.ledger.reserve(buildHoldRequest(userId, 100))
  const release: Ledger['release'] = async hold => {
    await books.ledger.release(hold)
    await recordHeartbeat(books.db, 'first', 2)
    await books.ledger.reserve(buildHoldRequest(userId, 10))
  }
  const releaseAbandoned = createHoldRecovery({ ...second(), ledger: { ...books.ledger, release } })
  expect(await releaseAbandoned()).toBe(0)
  expect(await lookFor(HOLD_LEASE_MS, releaseAbandoned)).toBe(1)
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 990, held_quota: 10 })
})

test('two processes that recover at once give the money back once', async () => {
  const dead = openLedger({
    db: books.db,
    engine: books.opened.engine,
    log: noopLogger,
    processId: 'dead',
    isConsumptionLogged: () => true,
  })
  await Promise.all(Array.from({ length: 30 }, () => dead.reserve(buildHoldRequest(userId, 10))))
  await Promise.all([
    releaseAllAbandonedHolds(second()),
    releaseAllAbandonedHolds({ ...second(), processId: 'third' }),
  ])
  expect(await readWallet(books.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
})
