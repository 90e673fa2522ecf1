import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { noopLogger } from '#server/core/logger.ts'
import { createMetricsRegistry } from '#server/core/telemetry/metrics.ts'
import { type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'
import { type PostgresPair, startPostgresPair } from '../../../../tests/harness/postgres-pair.ts'
import { waitUntil } from '../../../../tests/harness/wait-until.ts'
import { type Replication, readReplication } from '../queries.ts'
import { describeReplication } from './describe-replication.ts'
import { watchStandbys } from './watch-standbys.ts'

const TIMEOUT_MS = 30_000

let pair: PostgresPair
let database: OpenDatabase
beforeAll(async () => {
  pair = await startPostgresPair(['fsync=on'])
  database = openDatabase({ url: pair.first.url, durability: 'process', connections: 2 })
}, TIMEOUT_MS)
afterAll(async () => {
  await database?.close()
  await pair?.stop()
})

const SYNCHRONOUS: Replication = {
  isFsynced: true,
  synchronousCommit: 'on',
  synchronousNames: '*',
  standbys: [{ name: 'second', isSynchronous: true, lag: { seconds: 0, bytes: 0 } }],
}
const ASYNCHRONOUS: Replication = {
  ...SYNCHRONOUS,
  synchronousNames: '',
  standbys: [
    { name: 'far', isSynchronous: false, lag: { seconds: 60, bytes: 1_000_000 } },
    { name: 'near', isSynchronous: false, lag: { seconds: 1.25, bytes: 2000 } },
  ],
}

test.each([
  ['a synchronous standby', SYNCHRONOUS, 'ok', 'second, which is synchronous, loses no charge'],
  ['the standby that is the least behind', ASYNCHRONOUS, 'warn', 'at the moment 1.3 s (2 KiB)'],
  ['no standby', { ...ASYNCHRONOUS, standbys: [] }, 'ok', 'a backup is what remains'],
  ['a synchronous standby that is gone', { ...SYNCHRONOUS, standbys: [] }, 'fail', 'every commit waits'],
  [
    'commits that do not wait for it',
    { ...SYNCHRONOUS, synchronousCommit: 'local' },
    'warn',
    'loses the charges',
  ],
  ['commits that wait for nothing', { ...SYNCHRONOUS, synchronousCommit: 'off' }, 'warn', 'the last moments'],
  ['a disk that nothing waits for', { ...SYNCHRONOUS, isFsynced: false }, 'fail', 'fsync is off'],
  [
    'an account that sees no lag',
    { ...ASYNCHRONOUS, standbys: [{ name: 'far', isSynchronous: false, lag: undefined }] },
    'warn',
    'grant it pg_monitor',
  ],
] as const)('says what a failover loses with %s', (_, replication, status, finding) => {
  const result = describeReplication(replication)
  expect(result.status).toBe(status)
  expect(result.finding.en).toContain(finding)
})

test('reads how far a standby is behind', async () => {
  const read = async () => (await readReplication(database.db)).standbys[0]
  await waitUntil({ description: 'the standby to follow', timeoutMs: TIMEOUT_MS }, async () => {
    const standby = await read()
    return standby?.lag?.bytes === 0 && standby.lag.seconds === 0
  })
  await pair.second.lag()
  await sql`create table written (id int)`.execute(database.db)
  const behind = await waitUntil({ description: 'a lag', timeoutMs: TIMEOUT_MS }, async () => {
    const standby = await read()
    return standby?.lag && standby.lag.seconds > 0.1 && standby
  })
  await pair.second.resume()
  expect(behind).toMatchObject({ name: 'second', isSynchronous: false })
  expect(behind.lag?.bytes).toBeGreaterThan(0)
})

test(
  'a standby that is gone is a figure and a notice',
  async () => {
    const metrics = createMetricsRegistry()
    const notices: string[] = []
    const rootNotifier = { notify: ({ text }: UserNotification) => void notices.push(text.en) }
    const [watch] = watchStandbys({ database, log: noopLogger, metrics, rootNotifier })
    const stop = watch?.()
    const standbys = () => /tollgate_database_standbys (\d)/.exec(metrics.render())?.[1]
    await waitUntil({ description: 'the standby', timeoutMs: TIMEOUT_MS }, () => standbys() === '1')
    expect(notices).toEqual([])
    await pair.second.kill()
    await waitUntil({ description: 'a notice', timeoutMs: TIMEOUT_MS }, () => notices.length > 0)
    await stop?.()
    expect(standbys()).toBe('0')
    expect(notices[0]).toContain('no standby is connected')
  },
  TIMEOUT_MS,
)
