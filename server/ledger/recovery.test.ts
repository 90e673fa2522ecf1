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
  LEDGER_OPTIONS,
  openTestLedger,
  readToken,
  readWallet,
  type TestLedger,
} from './testing.ts'

const SECOND_MS = 1000

let fixture: TestLedger
let userId = 0
let nowMs = 0
let restoreClock: () => void

beforeEach(async () => {
  fixture = await openTestLedger({ processId: 'first' })
  userId = await createUser(fixture.db, 1000)
  nowMs = 1_700_000_000_000
  restoreClock = setClock({ nowMs: () => nowMs, elapsedMs: () => nowMs })
})

afterEach(async () => {
  restoreClock()
  expect((await auditLedger(fixture.db)).drift).toBe(0)
  await fixture.close()
})

const second = () => ({ db: fixture.db, ledger: fixture.ledger, processId: 'second' })

/** Checks every few seconds for this long and returns the number of released holds. */
async function checkFor(ms: number, releaseAbandoned: () => Promise<number>): Promise<number> {
  let released = 0
  for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
    nowMs += Math.min(CHECK_GAP_MS_MAX, untilMs - nowMs)
    released += await releaseAbandoned()
  }
  return released
}

test('releases every hold of a former process immediately', async () => {
  const tokenId = await createToken(fixture.db, userId, 500)
  await fixture.ledger.reserve(buildHoldRequest(userId, 100, tokenId))
  const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 200, tokenId))
  expect(await releaseAllAbandonedHolds(second())).toBe(2)
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
  expect(await readToken(fixture.db, tokenId)).toMatchObject({ remain_quota: 500 })
  await fixture.ledger.settle(hold, buildBill(150))
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 850, held_quota: 0, used_quota: 150 })
})

test('never releases its own holds', async () => {
  await fixture.ledger.reserve(buildHoldRequest(userId, 100))
  expect(await releaseAllAbandonedHolds({ ...second(), processId: 'first' })).toBe(0)
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 900, held_quota: 100 })
})

test('keeps the holds of a process whose heartbeat changes', async () => {
  await fixture.ledger.reserve(buildHoldRequest(userId, 100))
  const releaseAbandoned = createHoldRecovery(second())
  for (let beat = 0; beat < 20; beat += 1) {
    await recordHeartbeat(fixture.db, 'first', beat)
    expect(await releaseAbandoned()).toBe(0)
    nowMs += HOLD_LEASE_MS / 3
  }
})

test('releases the holds of a process without a heartbeat for the lease, whatever its clock shows', async () => {
  await recordHeartbeat(fixture.db, 'first', 9_999_999_999)
  await fixture.ledger.reserve(buildHoldRequest(userId, 100))
  const releaseAbandoned = createHoldRecovery(second())
  expect(await releaseAbandoned()).toBe(0)
  expect(await checkFor(HOLD_LEASE_MS - 1, releaseAbandoned)).toBe(0)
  nowMs += 1
  expect(await releaseAbandoned()).toBe(1)
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
  expect(await fixture.db.selectFrom('processes').select('id').execute()).toEqual([])
})

test('with a check every second, releases the holds of a dead process 27 to 30 s after its last heartbeat', async () => {
  const lastBeatMs = nowMs
  await recordHeartbeat(fixture.db, 'first', 1)
  await fixture.ledger.reserve(buildHoldRequest(userId, 100))
  const releaseAbandoned = createHoldRecovery(second())
  nowMs += SECOND_MS - 1
  while ((await releaseAbandoned()) === 0) nowMs += SECOND_MS
  expect(nowMs - lastBeatMs).toBeLessThanOrEqual(30 * SECOND_MS)
  expect(nowMs - lastBeatMs).toBeGreaterThan(27 * SECOND_MS)
})

test('keeps the holds of processes that could not send heartbeats while the database was unavailable', async () => {
  await recordHeartbeat(fixture.db, 'first', 1)
  await fixture.ledger.reserve(buildHoldRequest(userId, 100))
  const releaseAbandoned = createHoldRecovery(second())
  expect(await releaseAbandoned()).toBe(0)
  nowMs += 2 * HOLD_LEASE_MS
  expect(await releaseAbandoned()).toBe(0)
  expect(await checkFor(HOLD_LEASE_MS - 1, releaseAbandoned)).toBe(0)
  nowMs += 1
  expect(await releaseAbandoned()).toBe(1)
})

test('keeps the new holds of a process that resumes while its old holds are released', async () => {
  await recordHeartbeat(fixture.db, 'first', 1)
  await fixture.ledger.reserve(buildHoldRequest(userId, 100))
  const release: Ledger['release'] = async hold => {
    await fixture.ledger.release(hold)
    await recordHeartbeat(fixture.db, 'first', 2)
    await fixture.ledger.reserve(buildHoldRequest(userId, 10))
  }
  const releaseAbandoned = createHoldRecovery({ ...second(), ledger: { ...fixture.ledger, release } })
  expect(await releaseAbandoned()).toBe(0)
  expect(await checkFor(HOLD_LEASE_MS, releaseAbandoned)).toBe(1)
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 990, held_quota: 10 })
})

test('returns the money once when two processes recover concurrently', async () => {
  const gone = openLedger({
    db: fixture.db,
    engine: fixture.opened.engine,
    log: noopLogger,
    processId: 'gone',
    options: () => LEDGER_OPTIONS,
  })
  await Promise.all(Array.from({ length: 30 }, () => gone.reserve(buildHoldRequest(userId, 10))))
  await Promise.all([
    releaseAllAbandonedHolds(second()),
    releaseAllAbandonedHolds({ ...second(), processId: 'third' }),
  ])
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
})
