import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sql } from 'kysely'
import {
  type PairedServer,
  type PostgresPair,
  startPostgresPair,
} from '../../../tests/harness/postgres-pair.ts'
import { startTcpProxy } from '../../../tests/harness/tcp-proxy.ts'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import { elapsedMs } from '../../core/clock.ts'
import { type ChangeListener, listenForChanges } from './change-notifications.ts'
import { type OpenDatabase, openDatabase, untilPromoted } from './database.ts'
import { isServerLost } from './query-errors.ts'

const FOUND_MS_MAX = 2000
const CHECK_MS = 1000
const PROMOTION_MS_MAX = 30_000

let pair: PostgresPair
let database: OpenDatabase
beforeAll(async () => {
  pair = await startPostgresPair()
  database = openDatabase({ url: addressOf('read-write'), durability: 'process', connections: 2 })
  await sql`create table calls (port int)`.execute(database.db)
}, PROMOTION_MS_MAX)
afterAll(async () => {
  await database?.close()
  await pair?.stop()
})

/** The standby comes first, so that it must be passed over. */
const addressOf = (target: string): string =>
  `postgres://postgres@127.0.0.1:${pair.second.port},127.0.0.1:${pair.first.port}/postgres?sslmode=prefer&target_session_attrs=${target}`

const write = async (to: OpenDatabase = database): Promise<number | undefined> =>
  (
    await sql<{ port: number }>`insert into calls select inet_server_port() returning port`.execute(to.db)
  ).rows.map(({ port }) => port)[0]

const untilWritten = (): Promise<boolean> =>
  waitUntil({ description: 'a write', timeoutMs: PROMOTION_MS_MAX }, () =>
    write().then(
      () => true,
      () => false,
    ),
  )

test.each(['read-write', 'primary', 'any'])(
  'passes over a standby that comes first, with %s',
  async target => {
    const opened = openDatabase({ url: addressOf(target), durability: 'process', connections: 1 })
    try {
      expect(await write(opened)).toBe(pair.first.port)
    } finally {
      await opened.close()
    }
  },
)

test('a search that finds no server is the loss of one, whatever the servers say', async () => {
  const frozen = await startTcpProxy(pair.first.port)
  frozen.freeze()
  const places = {
    'only a standby': `${pair.second.port},127.0.0.1:${pair.second.port}`,
    'servers that say nothing': `${frozen.port},127.0.0.1:${frozen.port}`,
  }
  try {
    for (const [what, ports] of Object.entries(places)) {
      const url = `postgres://postgres@127.0.0.1:${ports}/postgres`
      const opened = openDatabase({ url, durability: 'process', connections: 1 })
      const error = await sql`select 1`.execute(opened.db).catch((reason: unknown) => reason)
      await opened.close()
      expect([what, isServerLost(error)]).toEqual([what, true])
    }
  } finally {
    await frozen.stop()
  }
})

test('a start does not wait for the only server of an address', async () => {
  const location = { url: 'postgres://postgres@127.0.0.1:9/postgres', durability: 'process' } as const
  const opened = openDatabase(location)
  const log = { warn: () => expect.unreachable() }
  await expect(untilPromoted(opened, log)).rejects.toThrow(/127.0.0.1:9/)
  await opened.close()
})

test('leaves connections to a server that has become read-only', async () => {
  await write()
  const server = new SQL(pair.first.url, { max: 1 })
  const setReadOnly = async (value: string): Promise<void> => {
    await server.unsafe(`alter system set default_transaction_read_only = ${value}`)
    await server.unsafe('select pg_reload_conf()')
  }
  await setReadOnly('on')
  await waitUntil({ description: 'a write to be rejected', timeoutMs: PROMOTION_MS_MAX }, () =>
    write().then(
      () => false,
      error => String(error).includes('read-only transaction') || String(error).includes('accepts writes'),
    ),
  )
  await expect(write()).rejects.toThrow(/no server of the address accepts writes/)
  await server.unsafe('set default_transaction_read_only = off')
  await setReadOnly('off')
  await server.close()
  await untilWritten()
  expect(await write()).toBe(pair.first.port)
})

/** Resolves once the listener hears what this server says. */
async function untilHearing({ url }: PairedServer, listener: ChangeListener): Promise<void> {
  const server = new SQL(url, { max: 1 })
  await waitUntil({ description: 'a notification', timeoutMs: PROMOTION_MS_MAX }, async () => {
    await server.unsafe(`notify "tollgate-changes", 'heartbeat'`)
    return listener.isHearing()
  })
  await server.close()
}

test(
  'leaves a primary that goes on, or only says nothing, once another one was promoted',
  async () => {
    const other = await startPostgresPair()
    const proxy = await startTcpProxy(other.first.port)
    const url = `postgres://postgres@127.0.0.1:${proxy.port},127.0.0.1:${other.second.port}/postgres`
    const opened = openDatabase({ url, durability: 'process', connections: 2 })
    opened.startStallDetection()
    try {
      await sql`create table calls (port int)`.execute(opened.db)
      expect(await write(opened)).toBe(other.first.port)
      proxy.freeze()
      const stalled = write(opened).catch((error: unknown) => error)
      await other.second.promote()
      const promotedMs = elapsedMs()
      expect(await stalled).toBeInstanceOf(Error)
      expect(await write(opened)).toBe(other.second.port)
      expect(elapsedMs() - promotedMs).toBeLessThan(FOUND_MS_MAX + CHECK_MS)
      proxy.thaw()
      expect(await write(opened)).toBe(other.second.port)
    } finally {
      await opened.close()
      await proxy.stop()
      await other.stop()
    }
  },
  PROMOTION_MS_MAX,
)

test('writes to the promoted standby and hears its changes within two seconds, and never to the primary that comes back', async () => {
  const listener = listenForChanges({ url: addressOf('read-write'), durability: 'process' }, () => undefined)
  await untilHearing(pair.first, listener)
  await write()
  await pair.first.kill()
  await expect(write()).rejects.toThrow(/cannot be used/)
  expect(listener.isHearing()).toBe(false)
  const warnings: string[] = []
  const log = { warn: (message: string) => void warnings.push(message) }
  await expect(untilPromoted(database, log, 0)).rejects.toThrow(/cannot be used/)
  const start = untilPromoted(database, log)
  await waitUntil(
    { description: 'a start that waits', timeoutMs: PROMOTION_MS_MAX },
    () => warnings.length > 0,
  )
  expect(warnings).toEqual([expect.stringContaining(`the start waits for a server that accepts writes`)])
  await pair.second.promote()
  await start
  const promotedMs = elapsedMs()
  await Promise.all([untilWritten(), untilHearing(pair.second, listener)])
  expect(elapsedMs() - promotedMs).toBeLessThan(FOUND_MS_MAX)
  await listener.stop()
  await pair.first.start()
  const another = openDatabase({ url: addressOf('read-write'), durability: 'process', connections: 1 })
  try {
    expect([await write(), await write(another)]).toEqual([pair.second.port, pair.second.port])
  } finally {
    await another.close()
  }
})
