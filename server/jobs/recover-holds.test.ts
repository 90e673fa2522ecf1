import { afterEach, beforeEach, expect, test } from 'bun:test'
import { waitUntil } from '../../tests/harness/wait-until.ts'
import { setClock } from '../core/clock.ts'
import { noopLogger } from '../core/logger.ts'
import { listHeartbeats, recordHeartbeat } from '../db/system/processes.ts'
import {
  buildHoldRequest,
  createUser,
  openTestLedger,
  readWallet,
  type TestLedger,
} from '../ledger/testing.ts'
import { startHoldRecovery } from './recover-holds.ts'

/** Well below the heartbeat interval of 5 s. */
const NOTICE_MS_MAX = 2000
/** Half a minute passes in 3 s. */
const SPEED = 10

let testLedger: TestLedger

beforeEach(async () => {
  testLedger = await openTestLedger({ processId: 'former' })
})

afterEach(() => testLedger.close())

const start = () =>
  startHoldRecovery({
    ...testLedger.opened,
    ledger: testLedger.ledger,
    log: noopLogger,
    processId: 'present',
  })

test('counts the processes that share the database', async () => {
  await recordHeartbeat(testLedger.db, 'another', 1)
  const presence = await start()
  expect(presence.processCount()).toBe(2)
  await presence.stop()
})

test('registers this process until it is stopped', async () => {
  const presence = await start()
  expect(await testLedger.db.selectFrom('processes').select('id').execute()).toEqual([{ id: 'present' }])
  await presence.stop()
  expect(await testLedger.db.selectFrom('processes').select('id').execute()).toEqual([])
})

test('releases the open holds of the previous process at the start on SQLite', async () => {
  const userId = await createUser(testLedger.db, 1000)
  await testLedger.ledger.reserve(buildHoldRequest(userId, 100))
  const presence = await startHoldRecovery({
    db: testLedger.db,
    engine: 'sqlite',
    ledger: testLedger.ledger,
    log: noopLogger,
    processId: 'present',
  })
  expect(await readWallet(testLedger.db, userId)).toMatchObject({ quota: 1000, held_quota: 0 })
  await presence.stop()
})

test('keeps the holds of other processes at the start on PostgreSQL', async () => {
  const userId = await createUser(testLedger.db, 1000)
  await testLedger.ledger.reserve(buildHoldRequest(userId, 100))
  const presence = await startHoldRecovery({
    db: testLedger.db,
    engine: 'postgres',
    ledger: testLedger.ledger,
    log: noopLogger,
    processId: 'present',
  })
  expect(await readWallet(testLedger.db, userId)).toMatchObject({ quota: 900, held_quota: 100 })
  await presence.stop()
})

test('writes a heartbeat every two seconds on PostgreSQL', async () => {
  let nowMs = 0
  const restoreClock = setClock({ nowMs: () => nowMs, elapsedMs: () => nowMs })
  const presence = await startHoldRecovery({
    ...testLedger.opened,
    engine: 'postgres',
    ledger: testLedger.ledger,
    log: noopLogger,
    processId: 'present',
  })
  nowMs += 2000
  await waitUntil(
    { description: 'the heartbeat', timeoutMs: 4 * NOTICE_MS_MAX },
    async () => (await listHeartbeats(testLedger.db)).get('present') === 2,
  )
  await presence.stop()
  restoreClock()
})

test('goes on writing heartbeats while it releases the holds of another process', async () => {
  const restoreClock = setClock({
    nowMs: () => Date.now() * SPEED,
    elapsedMs: () => performance.now() * SPEED,
  })
  const userId = await createUser(testLedger.db, 1000)
  await recordHeartbeat(testLedger.db, 'former', 1)
  const hold = await testLedger.ledger.reserve(buildHoldRequest(userId, 100))
  const { promise: released, resolve: finishRelease } = Promise.withResolvers<void>()
  let isReleasing = false
  const release = () => {
    isReleasing = true
    return released
  }
  const presence = await startHoldRecovery({
    ...testLedger.opened,
    engine: 'postgres',
    ledger: { ...testLedger.ledger, release },
    log: noopLogger,
    processId: 'present',
  })
  await waitUntil({ description: 'the release to begin', timeoutMs: 4 * NOTICE_MS_MAX }, () => isReleasing)
  const heartbeatAt = async () => (await listHeartbeats(testLedger.db)).get('present')
  const before = await heartbeatAt()
  await waitUntil(
    { description: 'a further heartbeat', timeoutMs: NOTICE_MS_MAX },
    async () => (await heartbeatAt()) !== before,
  )
  await testLedger.ledger.release(hold)
  finishRelease()
  await presence.stop()
  restoreClock()
})

test('notices at once that the ledger cannot write, before the next heartbeat', async () => {
  const userId = await createUser(testLedger.db, 1000)
  const presence = await start()
  await testLedger.db.schema.alterTable('holds').renameTo('holds_away').execute()
  await testLedger.db.schema.alterTable('processes').renameTo('processes_away').execute()
  await expect(testLedger.ledger.reserve(buildHoldRequest(userId, 100))).rejects.toMatchObject({
    code: 'storage_failed',
  })
  await waitUntil(
    { description: 'the failure to be noticed', timeoutMs: NOTICE_MS_MAX },
    () => !presence.isWriting(),
  )
  await testLedger.db.schema.alterTable('holds_away').renameTo('holds').execute()
  await testLedger.db.schema.alterTable('processes_away').renameTo('processes').execute()
  await presence.stop()
})
