import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { waitUntil } from '../../tests/harness/wait-until.ts'
import { newRequestId } from '../core/ids.ts'
import { noopLogger } from '../core/logger.ts'
import { quota } from '../core/money.ts'
import { assignHoldToTask } from '../db/billing/holds.ts'
import { inTransaction } from '../db/engine/database.ts'
import { auditLedger } from './audit.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { Hold, HoldRequest } from './ledger-command.ts'
import {
  buildBill,
  buildHoldRequest,
  createChannel,
  createToken,
  createUser,
  LEDGER_OPTIONS,
  loseHold,
  openTestLedger,
  readWallet,
  type TestLedger,
} from './testing.ts'

const PROCESSES = 4
let fixture: TestLedger
let ledgers: Ledger[] = []

beforeEach(async () => {
  fixture = await openTestLedger()
  const { db, engine } = fixture.opened
  ledgers = Array.from({ length: PROCESSES }, (_, index) =>
    openLedger({
      db,
      engine,
      log: noopLogger,
      processId: `process ${index}`,
      options: () => LEDGER_OPTIONS,
    }),
  )
})

afterEach(async () => {
  await Promise.all(ledgers.map(ledger => ledger.close()))
  const report = await auditLedger(fixture.db)
  await fixture.close()
  expect(report.findings).toEqual([])
  expect(report.requests).toEqual([])
})

const ledgerOf = (index: number): Ledger => ledgers[index % PROCESSES] ?? fixture.ledger

test('four processes grant exactly 10 of 200 concurrent requests on a wallet with funds for 10', async () => {
  const userId = await createUser(fixture.db, 1000)
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) => ledgerOf(index).reserve(buildHoldRequest(userId, 100))),
  )
  expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(10)
  const rejections = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []))
  expect(new Set(rejections)).toEqual(new Set(['insufficient_user_quota']))
})

describe('concurrency limits', () => {
  const openAtOnce = async (requests: readonly HoldRequest[]) => {
    const results = await Promise.allSettled(
      requests.map((request, index) => ledgerOf(index).reserve(request)),
    )
    return {
      opened: results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : [])),
      rejections: results.flatMap(result => (result.status === 'rejected' ? [result.reason] : [])),
    }
  }

  test('four processes open no more holds of a user than the limit, and each closed hold makes room for one', async () => {
    const userId = await createUser(fixture.db, 100_000)
    const tokens = await Promise.all([1, 2].map(() => createToken(fixture.db, userId, 10_000)))
    const requests = Array.from({ length: 60 }, (_, index) => ({
      ...buildHoldRequest(userId, 100, tokens[index % 3] ?? null),
      limits: { user: 7, token: 0 },
    }))
    const { opened, rejections } = await openAtOnce(requests)
    expect(opened).toHaveLength(7)
    expect(rejections[0]).toMatchObject({
      code: 'too_many_requests',
      retryAfterSeconds: 1,
      message: 'the user is limited to 7 concurrent requests; try again when one has ended',
    })
    expect(await readWallet(fixture.db, userId)).toMatchObject({ held_quota: 700 })
    await Promise.all(opened.slice(0, 3).map(hold => fixture.ledger.release(hold)))
    const again = await openAtOnce(requests.map(request => ({ ...request, requestId: newRequestId() })))
    expect(again.opened).toHaveLength(3)
    await Promise.all([...opened.slice(3), ...again.opened].map(hold => fixture.ledger.release(hold)))
  })

  test('the limit of a token does not affect its owner or other users', async () => {
    const [userId, otherId] = [await createUser(fixture.db, 9000), await createUser(fixture.db, 9000)]
    const tokenId = await createToken(fixture.db, userId, 9000)
    const limits = { user: 0, token: 2 }
    const many = (of: () => HoldRequest) => Array.from({ length: 8 }, of)
    const { opened } = await openAtOnce([
      ...many(() => ({ ...buildHoldRequest(userId, 1, tokenId), limits })),
      ...many(() => buildHoldRequest(userId, 1)),
      ...many(() => ({ ...buildHoldRequest(otherId, 1), limits })),
    ])
    expect(opened.filter(hold => hold.tokenId === tokenId)).toHaveLength(2)
    expect(opened).toHaveLength(2 + 8 + 8)
    await Promise.all(opened.map(hold => fixture.ledger.release(hold)))
  })

  test('count free requests, but not holds of tasks', async () => {
    const userId = await createUser(fixture.db, 0)
    const free = () => ({ ...buildHoldRequest(userId, 0), limits: { user: 1, token: 0 } })
    const [drawn, second] = [free(), free()]
    await fixture.ledger.reserve(drawn)
    await expect(fixture.ledger.reserve(second)).rejects.toMatchObject({ code: 'too_many_requests' })
    await assignHoldToTask(fixture.db, drawn.requestId)
    await fixture.ledger.reserve(second)
    await Promise.all([drawn, second].map(hold => fixture.ledger.release(hold)))
  })
})

test('four processes charge the same users, tokens and channels concurrently and lose nothing', async () => {
  const people = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const userId = await createUser(fixture.db, 100_000)
      return { userId, tokenId: await createToken(fixture.db, userId, 90_000) }
    }),
  )
  const channels = await Promise.all([1, 2, 3].map(() => createChannel(fixture.db)))
  const serve = async (index: number): Promise<void> => {
    const person = people[(index * 7) % people.length]
    const channelId = channels[(index * 5) % channels.length]
    if (!person || channelId === undefined) throw new Error('there is no account or channel to serve')
    const hold: Hold = await ledgerOf(index).reserve(buildHoldRequest(person.userId, 100, person.tokenId))
    await ledgerOf(index + 1).settle(hold, buildBill(30 + (index % 90), channelId))
  }
  await Promise.all(Array.from({ length: 600 }, (_, index) => serve(index)))
  const wallets = await Promise.all(people.map(person => readWallet(fixture.db, person.userId)))
  expect(wallets.reduce((sum, wallet) => sum + wallet.request_count, 0)).toBe(600)
})

test('a transaction that fails half way charges nothing, and the charge succeeds once the storage works again', async () => {
  const userId = await createUser(fixture.db, 1000)
  const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 100))
  await fixture.db.schema.alterTable('usage_hours').renameTo('hours_away').execute()
  const settling = fixture.ledger.settle(hold, buildBill(60))
  await Bun.sleep(20)
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 900, held_quota: 100, used_quota: 0 })
  expect(await fixture.db.selectFrom('logs').selectAll().execute()).toEqual([])
  await fixture.db.schema.alterTable('hours_away').renameTo('usage_hours').execute()
  await settling
  expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 940, held_quota: 0, used_quota: 60 })
})

test('four processes that extend, settle and release the same holds in any order charge each once', async () => {
  const users = await Promise.all([1, 2, 3].map(() => createUser(fixture.db, 100_000)))
  const holds = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      fixture.ledger.reserve(buildHoldRequest(users[index % users.length] ?? 0, 100)),
    ),
  )
  const close = async (index: number, hold: Hold): Promise<unknown> => {
    if (index === 0) await ledgerOf(0).extend(hold, quota(50))
    if (index === 1) return await ledgerOf(1).release(hold)
    return await ledgerOf(index).settle(hold, buildBill(40))
  }
  const listOf = (index: number) => (index % 2 === 0 ? holds : holds.toReversed())
  const processes = Array.from({ length: PROCESSES }, (_, index) => index)
  await Promise.all(processes.flatMap(index => listOf(index).map(hold => close(index, hold))))
  expect(await fixture.db.selectFrom('holds').selectAll().execute()).toEqual([])
  const closings = await fixture.db
    .selectFrom('postings')
    .select(({ fn }) => ['request_id', fn.countAll<number>().as('count')])
    .where('kind', 'in', ['charge', 'release'])
    .groupBy(['request_id', 'kind'])
    .execute()
  expect(closings.every(({ count }) => Number(count) === 1)).toBe(true)
  const wallets = await Promise.all(users.map(userId => readWallet(fixture.db, userId)))
  expect(wallets.map(({ held_quota, used_quota }) => [held_quota, used_quota])).toEqual(
    users.map(() => [0, 20 * 40]),
  )
})

// Only on PostgreSQL do processes wait for a row.
if (process.env.TEST_DATABASE_URL)
  test('a settlement that waits for its wallet has already written its log row and receipt', async () => {
    const userId = await createUser(fixture.db, 1000)
    const hold = await fixture.ledger.reserve(buildHoldRequest(userId, 100))
    let settling: Promise<unknown> = Promise.resolve()
    await inTransaction(fixture.db, async tx => {
      await tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
      settling = fixture.ledger.settle(hold, buildBill(60))
      const written = () =>
        sql<{ name: string }>`
        select relation::regclass::text as name from pg_locks
        where mode = 'RowExclusiveLock' and relation in ('logs'::regclass, 'receipts'::regclass)
          and pid in (select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`.execute(
          tx,
        )
      await waitUntil(
        { description: 'the settlement to wait with its rows written', timeoutMs: 5_000 },
        async () => {
          const { rows } = await written()
          return rows.length === 2
        },
      )
    })
    await settling
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 940, held_quota: 0, used_quota: 60 })
  })

describe('a hold that another process closed', () => {
  /** Opens three holds in the first process and releases one of them in another. */
  const openThree = async () => {
    const userId = await createUser(fixture.db, 1000)
    const first = ledgerOf(0)
    const holds = await Promise.all([1, 2, 3].map(() => first.reserve(buildHoldRequest(userId, 100))))
    const [released] = holds
    if (!released) throw new Error('there is no open hold')
    await ledgerOf(1).release(released)
    return { userId, first, holds, released }
  }

  test('is charged once by the process that opened it, for its client had the response', async () => {
    const { userId, first, holds, released } = await openThree()
    for (const _ of [1, 2]) await first.settle(released, buildBill(40))
    expect(await readWallet(fixture.db, userId)).toMatchObject({
      quota: 760,
      held_quota: 200,
      used_quota: 40,
    })
    expect((await auditLedger(fixture.db)).counts).toMatchObject({ charges: 1 })
    await Promise.all(holds.map(each => first.release(each)))
  })

  test('is charged beside other holds in the same batch', async () => {
    const { userId, first, holds } = await openThree()
    await Promise.all(holds.map(each => first.settle(each, buildBill(40))))
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 880, held_quota: 0, used_quota: 120 })
  })
})

describe('a hold that a failover of the database lost', () => {
  test('is charged with log row and receipt, once, and the books balance', async () => {
    const userId = await createUser(fixture.db, 1000)
    const hold = await ledgerOf(0).reserve({ ...buildHoldRequest(userId, 100), requestId: newRequestId() })
    await loseHold(fixture.db, hold)
    await Promise.all([ledgerOf(0).settle(hold, buildBill(40)), ledgerOf(1).settle(hold, buildBill(40))])
    await ledgerOf(2).settle(hold, buildBill(40))
    expect(await readWallet(fixture.db, userId)).toMatchObject({ quota: 960, held_quota: 0, used_quota: 40 })
    expect(await fixture.db.selectFrom('logs').select('request_id').execute()).toEqual([
      { request_id: hold.requestId },
    ])
    expect((await auditLedger(fixture.db)).counts).toMatchObject({ charges: 1 })
  })
})
