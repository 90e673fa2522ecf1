import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { noopLogger } from '#server/core/logger.ts'
import { migrate, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { type Ledger, openLedger } from '#server/ledger/ledger.ts'
import type { CloseCommand } from '#server/ledger/ledger-command.ts'
import {
  buildBill,
  buildHoldRequest,
  buildLogEntry,
  createChannel,
  createUser,
  LEDGER_OPTIONS,
  readWallet,
} from '#server/ledger/testing.ts'
import { migrations } from '#server/testing/migrations.ts'
import { type PostgresPair, startPostgresPair } from '../../../tests/harness/postgres-pair.ts'
import { makeTemporaryFolder } from '../../../tests/harness/temporary-folder.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { Journal } from './journal.ts'
import { journalFolderOf, listJournals } from './journal-folder.ts'
import { ChargeRecovery } from './recover-charges.ts'
import { verifyJournals } from './verify-journals.ts'

const TIMEOUT_MS = 60_000
const SECRET_KEY = 'the secret key of this installation'
const WALLET = 1_000_000
const HELD = 1000

let pair: PostgresPair
let database: OpenDatabase
let userId: number
let dataDir: ReturnType<typeof makeTemporaryFolder>
const stops: (() => unknown)[] = []

beforeAll(async () => {
  pair = await startPostgresPair()
  const url = `postgres://postgres@127.0.0.1:${pair.first.port},127.0.0.1:${pair.second.port}/postgres`
  database = openDatabase({ url, durability: 'process', connections: 4 }, migrations)
  await migrate(database)
}, TIMEOUT_MS)
afterAll(async () => {
  await database?.close()
  await pair?.stop()
})
beforeEach(async () => {
  dataDir = makeTemporaryFolder()
  userId = await createUser(database.db, WALLET)
})
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  dataDir.remove()
})

interface Process {
  readonly ledger: Ledger
  readonly recovery: ChargeRecovery
  /** Ends it, as a crash does: its journal stays. */
  end(): void
}

/** A gateway process, as far as charges go. */
function startProcess(processId: string, secretKey = SECRET_KEY): Process {
  const folder = journalFolderOf(dataDir.path)
  const { db, engine } = database
  const journal = new Journal({ folder, processId, log: noopLogger })
  const ledger = openLedger({ db, engine, log: noopLogger, processId, options: () => LEDGER_OPTIONS })
  ledger.onClosed(commands => journal.record(commands))
  const secrets = createSecrets(secretKey)
  const recovery = new ChargeRecovery({ db, secrets, log: noopLogger, processId, ledger, folder, journal })
  stops.push(() => journal.close())
  return { ledger, recovery, end: () => journal.close() }
}

async function charge({ ledger }: Process, amount: number, channelId = 0): Promise<string> {
  const hold = await ledger.reserve(buildHoldRequest(userId, HELD))
  await ledger.settle(hold, buildBill(amount, channelId))
  return hold.requestId
}

const wallet = () => readWallet(database.db, userId)
const verify = () => verifyJournals({ database, config: { dataDir: dataDir.path, secretKey: SECRET_KEY } })
const drift = async () => (await auditLedger(database.db)).drift

/** Journals charges that the database does not have, as after a failover. */
function journalLost(
  processId: string,
  amounts: readonly number[],
  failures: readonly CloseCommand[] = [],
): Promise<void> {
  const lost = startProcess(processId)
  const command = (amount: number) => ({
    kind: 'settle' as const,
    hold: buildHoldRequest(userId, HELD),
    bill: buildBill(amount),
  })
  const folder = journalFolderOf(dataDir.path)
  lost.end()
  const journal = new Journal({ folder, processId, log: noopLogger })
  const recovery = new ChargeRecovery({
    db: database.db,
    secrets: createSecrets(SECRET_KEY),
    log: noopLogger,
    processId,
    ledger: lost.ledger,
    folder,
    journal,
  })
  return recovery.check().then(() => {
    for (const amount of amounts) journal.record([command(amount)])
    journal.record(failures)
    journal.close()
  })
}

test('brings back the charges of a process that has ended, once', async () => {
  await journalLost('dead', [10, 20, 30])
  expect((await verify()).drift).toBe(3)
  const next = startProcess('next')
  const sibling = startProcess('sibling')
  await Promise.all([next.recovery.check(), sibling.recovery.check()])
  await next.recovery.check()
  expect(await wallet()).toEqual({
    quota: WALLET - 60,
    held_quota: 0,
    used_quota: 60,
    request_count: 3,
  })
  expect([await drift(), (await verify()).drift]).toEqual([0, 0])
})

test('brings back the log rows of failed requests, once, but not of free ones', async () => {
  const failed = (amount: number): CloseCommand => ({
    kind: 'release',
    hold: buildHoldRequest(userId, amount),
    failure: { entry: buildLogEntry(), receipt: { status: 502, code: 'bad_gateway' } },
  })
  await journalLost('dead', [], [failed(HELD), failed(0)])
  const next = startProcess('next')
  const sibling = startProcess('sibling')
  await Promise.all([next.recovery.check(), sibling.recovery.check()])
  await startProcess('third').recovery.check()
  const logs = await database.db.selectFrom('logs').select('type').where('user_id', '=', userId).execute()
  expect(logs).toEqual([{ type: 5 }])
  expect([await wallet(), await drift()]).toMatchObject([{ quota: WALLET, held_quota: 0 }, 0])
})

test('a charge that the database has is not made again, with clocks ten minutes apart', async () => {
  const apart = Date.now() - 600_000
  const restore = setClock({ nowMs: () => apart, elapsedMs: () => performance.now() })
  const before = startProcess('before')
  await before.recovery.check()
  await charge(before, 40)
  restore()
  before.end()
  const after = startProcess('after')
  await after.recovery.check()
  expect(await wallet()).toMatchObject({ used_quota: 40, request_count: 1 })
})

test('leaves the journal of another installation alone, and says so', async () => {
  await journalLost('dead', [10])
  const other = startProcess('other', 'the secret key of another installation')
  await other.recovery.check()
  expect(await wallet()).toMatchObject({ used_quota: 0 })
  expect(listJournals(journalFolderOf(dataDir.path)).map(({ processId }) => processId)).toContain('dead')
  const { lines } = await verifyJournals({
    database,
    config: { dataDir: dataDir.path, secretKey: 'the secret key of another installation' },
  })
  expect(lines.join('\n')).toContain('is a journal of another installation')
})

test('does not charge an account that was made after the charge', async () => {
  const past = Date.now() - 3_000_000
  const restore = setClock({ nowMs: () => past, elapsedMs: () => performance.now() })
  await journalLost('dead', [10])
  restore()
  await database.db
    .updateTable('users')
    .set({ created_at: Math.floor(Date.now() / 1000) })
    .where('id', '=', userId)
    .execute()
  const next = startProcess('next')
  await next.recovery.check()
  expect(await wallet()).toMatchObject({ used_quota: 0 })
  expect((await verify()).lines.join('\n')).toContain(`of user ${userId}, charged 10`)
})

test('forgets the journal of a process that ended long ago once it was compared', async () => {
  await journalLost('dead', [10])
  const later = Date.now() + 700_000
  const restore = setClock({ nowMs: () => later, elapsedMs: () => performance.now() })
  stops.push(restore)
  const next = startProcess('next')
  await next.recovery.check()
  expect(await wallet()).toMatchObject({ used_quota: 10 })
  expect(listJournals(journalFolderOf(dataDir.path)).map(({ processId }) => processId)).not.toContain('dead')
})

test(
  'after a failover to a standby that lagged, nothing is lost and nothing charged twice',
  async () => {
    const channelId = await createChannel(database.db)
    const gateway = startProcess('gateway')
    await gateway.recovery.check()
    await charge(gateway, 1, channelId)
    const [settledLater, released] = await Promise.all([
      gateway.ledger.reserve(buildHoldRequest(userId, HELD)),
      gateway.ledger.reserve(buildHoldRequest(userId, HELD)),
    ])
    await waitUntil({ description: 'the standby to follow', timeoutMs: TIMEOUT_MS }, isFollowed)
    await pair.second.lag()
    await gateway.ledger.settle(settledLater, buildBill(2, channelId))
    await gateway.ledger.release(released)
    const amounts = [4, 8, 16]
    for (const amount of amounts) await charge(gateway, amount, channelId)
    const inFlight = await gateway.ledger.reserve(buildHoldRequest(userId, HELD))
    await pair.first.kill()
    await pair.second.loseLag()
    await pair.second.promote()
    await waitUntil({ description: 'the promoted server', timeoutMs: TIMEOUT_MS }, async () => {
      return (await wallet().catch(() => undefined)) !== undefined
    })
    expect(await wallet()).toMatchObject({ used_quota: 1, held_quota: 2 * HELD })
    const { drift: missing, lines } = await verify()
    expect([missing, lines.at(-1)]).toEqual([
      4,
      'A gateway that starts on this machine brings the missing charges back.',
    ])
    await gateway.ledger.settle(inFlight, buildBill(32, channelId))
    await Promise.all([gateway.recovery.check(), gateway.recovery.check()])
    await charge(gateway, 64, channelId)
    await gateway.recovery.check()
    expect(gateway.recovery.recovered).toBeGreaterThanOrEqual(4)
    expect(await wallet()).toEqual({
      quota: WALLET - 127,
      held_quota: 0,
      used_quota: 127,
      request_count: 7,
    })
    expect([await drift(), (await verify()).drift]).toEqual([0, 0])
  },
  TIMEOUT_MS,
)

async function isFollowed(): Promise<boolean> {
  const { SQL } = await import('bun')
  const server = new SQL(pair.first.url, { max: 1 })
  const [row] = await server.unsafe(
    'select flush_lsn = pg_current_wal_lsn() as followed from pg_stat_replication',
  )
  await server.close()
  return row?.followed === true
}
