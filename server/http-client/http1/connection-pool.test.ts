import { afterEach, expect, spyOn, test } from 'bun:test'
import { setClock, sleepMs } from '../../core/clock.ts'
import { ConnectionPool, type PoolableConnection } from './connection-pool.ts'

const ORIGIN = 'http://upstream.test'
const OWNER = '1 key'
const TIMING = { quietMs: 5, probationMs: 5 }

let restoreClock: (() => void) | undefined
afterEach(() => restoreClock?.())

const createConnection = (): PoolableConnection => ({
  origin: ORIGIN,
  owner: OWNER,
  idleSinceMs: undefined,
  exchanges: 1,
  sentAtMs: 0,
  waitedMs: 0,
  destroy: () => undefined,
})

/** Polls until a connection may be reused. */
async function takeWhenReady(pool: ConnectionPool<PoolableConnection>): Promise<PoolableConnection> {
  for (;;) {
    const connection = pool.take(ORIGIN, OWNER)
    if (connection) return connection
    await sleepMs(1)
  }
}

test('counts silence only up to the check before, because a paused event loop has not read what arrived', async () => {
  const pool = new ConnectionPool<PoolableConnection>(TIMING)
  let reads = 0
  // The pool reads the time when a connection becomes idle and at every check: the loop pauses before the second check.
  restoreClock = setClock({ nowMs: () => 0, elapsedMs: () => (++reads <= 2 ? 1_000 : 11_000) })
  const connection = createConnection()
  pool.add(connection)
  expect(await takeWhenReady(pool)).toBe(connection)
  expect(reads).toBe(4)
})

test('checks all connections that become idle together with one timer', async () => {
  const pool = new ConnectionPool<PoolableConnection>(TIMING)
  const timers = spyOn(globalThis, 'setTimeout')
  for (let count = 0; count < 5; count += 1) pool.add(createConnection())
  expect(timers).toHaveBeenCalledTimes(1)
  timers.mockRestore()
  for (let count = 0; count < 5; count += 1) await takeWhenReady(pool)
})

test('gives a connection to its owner only', async () => {
  const { pool, add, passMs } = createTimedPool()
  add(0, 1)
  await passMs(50)
  expect(pool.take(ORIGIN, '2 key')).toBeUndefined()
  expect(pool.take(ORIGIN, OWNER)).toBeDefined()
})

test('closes the connections of an origin that sent unrequested bytes, and keeps none afterwards', async () => {
  const pool = new ConnectionPool<PoolableConnection>(TIMING)
  let destroyed = 0
  const destroy = () => {
    destroyed += 1
  }
  const add = () => pool.add({ ...createConnection(), destroy })
  add()
  pool.distrust(ORIGIN)
  expect(destroyed).toBe(1)
  add()
  expect(destroyed).toBe(2)
  expect(pool.take(ORIGIN, OWNER)).toBeUndefined()
})

/** The state of a pool after a while in which connections are added at these times, and taken when they may be. */
function createTimedPool() {
  let nowMs = 1_000_000
  let reads = 0
  restoreClock = setClock({
    nowMs: () => 0,
    elapsedMs() {
      reads += 1
      return nowMs
    },
  })
  const pool = new ConnectionPool<PoolableConnection>({ ...TIMING, expiryCheckMs: 2 })
  const destroyed: PoolableConnection[] = []
  /** The response to the connection's second request arrives now. */
  const add = (waitedMs: number, exchanges = 2): PoolableConnection => {
    const connection: PoolableConnection = {
      ...createConnection(),
      exchanges,
      sentAtMs: nowMs - waitedMs,
      waitedMs,
      destroy() {
        destroyed.push(connection)
        pool.remove(connection)
      },
    }
    pool.add(connection)
    return connection
  }
  /** Lets the pool check twice, since silence counts up to the check before. */
  const passMs = async (ms: number) => {
    nowMs += ms
    for (let check = 0; check < 2; check += 1) await sleepMs(10)
  }
  return { pool, destroyed, add, passMs, reads: () => reads }
}

test('a reused connection rests until twice the slowest response has passed since its request', async () => {
  const { pool, add, passMs } = createTimedPool()
  add(4_000, 1)
  const connection = add(100)
  await passMs(50)
  expect(pool.take(ORIGIN, OWNER)?.exchanges).toBe(1)
  expect(pool.take(ORIGIN, OWNER)).toBeUndefined()
  await passMs(7_840)
  expect(pool.take(ORIGIN, OWNER)).toBeUndefined()
  await passMs(50)
  expect(pool.take(ORIGIN, OWNER)).toBe(connection)
})

test('closes a reused connection that would have to rest for long', async () => {
  const { destroyed, add } = createTimedPool()
  expect(add(30_000, 1).idleSinceMs).toBeDefined()
  const connection = add(100)
  expect(destroyed).toEqual([connection])
})

test('forgets a slow response after a while', async () => {
  const { pool, add, passMs } = createTimedPool()
  add(30_000, 1)
  await passMs(700_000)
  add(100, 1)
  await passMs(700_000)
  const connection = add(100)
  await passMs(200)
  expect(pool.take(ORIGIN, OWNER)).toBe(connection)
})

test('keeps few connections of an origin until one was idle without a sound', async () => {
  const { destroyed, add, passMs } = createTimedPool()
  for (let count = 0; count < 9; count += 1) add(0, 1)
  expect(destroyed).toHaveLength(1)
  await passMs(50)
  for (let count = 0; count < 20; count += 1) add(0, 1)
  expect(destroyed).toHaveLength(1)
})

test('keeps a limited number of connections that rest', async () => {
  const { destroyed, add, passMs } = createTimedPool()
  add(1_000, 1)
  await passMs(50)
  for (let count = 0; count < 2_001; count += 1) add(100)
  expect(destroyed).toHaveLength(1)
  add(0, 1)
  expect(destroyed).toHaveLength(1)
})

test('closes connections that were idle for a minute, with one timer for all', async () => {
  const { destroyed, add, passMs, reads } = createTimedPool()
  const idle: PoolableConnection[] = []
  for (let count = 0; count < 10; count += 1) {
    idle.push(add(0, 1))
    await passMs(50)
  }
  expect(destroyed).toEqual([])
  const before = reads()
  await passMs(60_000)
  expect(destroyed).toEqual(idle)
  expect(reads() - before).toBeLessThan(40)
})

test('closes what a burst left within seconds, and keeps some for a minute', async () => {
  const { destroyed, add, passMs } = createTimedPool()
  add(0, 1)
  await passMs(50)
  const burst = Array.from({ length: 99 }, () => add(0, 1))
  await passMs(900)
  expect(destroyed).toEqual([])
  await passMs(4_000)
  expect(destroyed).toHaveLength(68)
  expect(destroyed).not.toContain(burst.at(-1))
  await passMs(60_000)
  expect(destroyed).toHaveLength(100)
})

test('puts an origin that sent unrequested bytes on probation again when its time is over', async () => {
  const { destroyed, pool, add, passMs } = createTimedPool()
  add(0, 1)
  await passMs(50)
  pool.distrust(ORIGIN)
  await passMs(3_600_001)
  for (let count = 0; count < 9; count += 1) add(0, 1)
  expect(destroyed.slice(1)).toHaveLength(1)
})

test('forgets the oldest of too many origins, and closes its connections', () => {
  const pool = new ConnectionPool<PoolableConnection>(TIMING)
  let destroyed = 0
  const destroy = () => {
    destroyed += 1
  }
  pool.add({ ...createConnection(), destroy })
  for (let at = 1; at < 10_000; at += 1) pool.distrust(`http://other-${at}.test`)
  expect(destroyed).toBe(0)
  pool.distrust('http://last.test')
  expect(destroyed).toBe(1)
})
