import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '#server/testing/migrations.ts'
import { openPostgres, type PostgresDatabase } from '../../../tests/harness/open-postgres.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { elapsedMs, nowSeconds, setClock, sleepMs } from '../../core/clock.ts'
import { noopLogger } from '../../core/logger.ts'
import { recordHeartbeat } from '../system/processes.ts'
import { bumpVersion, createCachedValue, readVersion, startCacheRefresh } from './cached-value.ts'
import { inTransaction, migrate, type OpenDatabase, openDatabase } from './database.ts'

const NOTICED_MS_MAX = 200
const NOTIFIED_REFRESH_MS = 10_000

let postgres: PostgresDatabase
let own: OpenDatabase
let other: OpenDatabase
let refreshes: number
let stop: () => Promise<void>
let version: () => number

beforeAll(async () => {
  postgres = await openPostgres()
  const location = { url: postgres.url, durability: 'process', connections: 2 } as const
  own = openDatabase(location, migrations)
  other = openDatabase(location, migrations)
  await migrate(own)
})
afterAll(async () => {
  await own?.close()
  await other?.close()
  await postgres?.stop()
})

beforeEach(async () => {
  const cached = await createCachedValue({
    db: own.db,
    subject: 'options',
    load: () => readVersion(own.db, 'options'),
  })
  refreshes = 0
  const counted = {
    current: cached.current,
    refresh() {
      refreshes += 1
      return cached.refresh()
    },
  }
  version = cached.current
  stop = startCacheRefresh([counted], { database: own, log: noopLogger })
  await untilHearing()
})
afterEach(() => stop())

const beat = () => recordHeartbeat(other.db, 'other', nowSeconds())
const change = () => inTransaction(other.db, tx => bumpVersion(tx, 'options'))

/** The listening connections to this database. */
const listeningPids = async (): Promise<readonly number[]> => {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`.execute(other.db)
  return rows.map(({ pid }) => pid)
}

/** Resolves once the listener has subscribed and heard a heartbeat. */
async function untilHearing(): Promise<void> {
  await waitUntil({ description: 'the subscription', timeoutMs: 5_000 }, async () => {
    return (await listeningPids()).length > 0
  })
  await sleepMs(NOTICED_MS_MAX)
  await beat()
  await sleepMs(NOTICED_MS_MAX)
}

/** Makes a change over the other connection and measures until the cached value has it. */
async function noticedMs(timeoutMs: number): Promise<number> {
  const before = version()
  await change()
  const startedMs = elapsedMs()
  await waitUntil({ description: 'the change', timeoutMs }, () => version() > before)
  return elapsedMs() - startedMs
}

test('a change of another process is noticed within 200 ms', async () => {
  const times: number[] = []
  for (let round = 0; round < 5; round += 1) times.push(await noticedMs(5_000))
  expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(NOTICED_MS_MAX)
})

test('while heartbeats are heard, versions are not read', async () => {
  const before = refreshes
  for (let second = 0; second < 3; second += 1) {
    await sleepMs(1_000)
    await beat()
  }
  expect(refreshes).toBe(before)
})

test('a change without a notification is noticed by the look every ten seconds', async () => {
  await sql`alter table topics disable trigger tollgate_notify`.execute(other.db)
  const restore = setClock({
    nowMs: () => Date.now(),
    elapsedMs: () => performance.now() + NOTIFIED_REFRESH_MS,
  })
  try {
    expect(await noticedMs(5_000)).toBeGreaterThan(NOTICED_MS_MAX)
  } finally {
    restore()
    await sql`alter table topics enable trigger tollgate_notify`.execute(other.db)
  }
})

test('a change while the listening connection is cut is noticed, and later ones at once again', async () => {
  const [cut] = await listeningPids()
  await sql`select pg_terminate_backend(${cut})`.execute(other.db)
  expect(await noticedMs(NOTIFIED_REFRESH_MS + 2_000)).toBeLessThan(NOTIFIED_REFRESH_MS)
  await untilHearing()
  expect(await listeningPids()).not.toContain(cut)
  expect(await noticedMs(5_000)).toBeLessThan(NOTICED_MS_MAX)
}, 20_000)

test('without heartbeats the version is read every second', async () => {
  await stop()
  await sql`alter table topics disable trigger tollgate_notify`.execute(other.db)
  try {
    const cached = await createCachedValue({
      db: own.db,
      subject: 'options',
      load: () => readVersion(own.db, 'options'),
    })
    version = cached.current
    stop = startCacheRefresh([cached], { database: own, log: noopLogger })
    for (let round = 0; round < 3; round += 1) expect(await noticedMs(5_000)).toBeLessThan(2_000)
  } finally {
    await sql`alter table topics enable trigger tollgate_notify`.execute(other.db)
  }
})
