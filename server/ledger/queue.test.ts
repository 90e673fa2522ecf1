import { expect, test } from 'bun:test'
import { GatewayError } from '../core/errors.ts'
import { sameInBoth } from '../core/language.ts'
import { noopLogger } from '../core/logger.ts'
import { quota } from '../core/money.ts'
import type { OpenResults } from './apply-opens.ts'
import type { Hold, LedgerCommand } from './ledger-command.ts'
import { LedgerQueue } from './queue.ts'
import { buildBill } from './testing.ts'

const holdOf = (requestId: string): Hold => ({
  requestId,
  userId: 1,
  tokenId: null,
  isTokenLimited: false,
  amount: quota(1),
})
const reserve = (requestId: string): LedgerCommand => ({ kind: 'reserve', hold: holdOf(requestId) })
const settle = (requestId: string): LedgerCommand => ({
  kind: 'settle',
  hold: holdOf(requestId),
  bill: buildBill(1),
})
const requestIds = (commands: readonly LedgerCommand[]) => commands.map(command => command.hold.requestId)

/** Long enough for a command to reach its commit before the deadline, even on a machine that stalls for a while. */
const DEADLINE_MS = 300

const ALL_APPLIED: OpenResults = { rejections: new Map(), short: new Set() }

function openQueue(write: (commands: readonly LedgerCommand[]) => void | Promise<void>) {
  const commit = async (commands: readonly LedgerCommand[]) => {
    await write(commands)
    return ALL_APPLIED
  }
  return new LedgerQueue({ commit, log: noopLogger })
}

test('commits commands of one event-loop turn in one transaction', async () => {
  const batches: string[][] = []
  const queue = openQueue(commands => void batches.push(requestIds(commands)))
  await Promise.all(['a', 'b', 'c'].map(id => queue.submit(reserve(id))))
  expect(batches).toEqual([['a', 'b', 'c']])
})

test('adds commands of consecutive turns to the same transaction', async () => {
  const batches: string[][] = []
  const queue = openQueue(commands => void batches.push(requestIds(commands)))
  const results = [queue.submit(reserve('a'))]
  for (const id of ['b', 'c']) {
    results.push(queue.submit(reserve(id)))
    await new Promise(resolve => setImmediate(resolve))
  }
  await Promise.all(results)
  expect(batches).toEqual([['a', 'b', 'c']])
})

test('commits commands that arrive during a commit in the next transaction', async () => {
  const batches: string[][] = []
  const queue = openQueue(async commands => {
    batches.push(requestIds(commands))
    await Bun.sleep(5)
  })
  const first = queue.submit(reserve('a'))
  await Bun.sleep(1)
  await Promise.all([first, queue.submit(reserve('b')), queue.submit(settle('c'))])
  expect(batches).toEqual([['a'], ['b', 'c']])
})

test('lets the event loop turn before a large batch has all its results', async () => {
  const queue = openQueue(() => undefined)
  let resolved = 0
  const results = Array.from({ length: 100 }, async (_, index) => {
    await queue.submit(reserve(String(index)))
    resolved += 1
  })
  let counted = 0
  let largestStep = 0
  while (resolved < results.length) {
    await new Promise(resolve => setImmediate(resolve))
    largestStep = Math.max(largestStep, resolved - counted)
    counted = resolved
  }
  await Promise.all(results)
  expect(largestStep).toBeGreaterThan(0)
  expect(largestStep).toBeLessThan(33)
})

test('fails only the command that cannot be stored', async () => {
  const written: string[] = []
  const queue = openQueue(commands => {
    if (requestIds(commands).includes('bad')) throw new Error('cannot be stored')
    written.push(...requestIds(commands))
  })
  const results = await Promise.allSettled(['a', 'bad', 'c'].map(id => queue.submit(reserve(id))))
  expect(results.map(result => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { code: 'storage_failed', status: 503 } })
  expect(written).toEqual(['a', 'c'])
})

test('retries a batch as a whole once when its connection is lost', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `request ${index}`)
  const batches: string[][] = []
  const queue = openQueue(commands => {
    const opened = commands.filter(({ kind }) => kind === 'reserve')
    if (opened.length > 0) batches.push(requestIds(opened))
    throw Object.assign(new Error('closed'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' })
  })
  const results = await Promise.allSettled(ids.map(id => queue.submit(reserve(id))))
  expect(batches.flat().sort()).toEqual([...ids, ...ids].sort())
  expect(batches.length).toBeLessThan(ids.length)
  for (const result of results) expect(result).toMatchObject({ reason: { code: 'storage_failed' } })
})

test('retries a settlement until the storage works', async () => {
  let failures = 3
  const written: string[] = []
  const queue = openQueue(commands => {
    if (failures-- > 0) throw new Error('disk full')
    written.push(...requestIds(commands))
  })
  await queue.submit(settle('a'))
  expect(written).toEqual(['a'])
})

test('rejects and logs a settlement that cannot be stored', async () => {
  const errors: string[] = []
  const log = { ...noopLogger, error: (message: string) => void errors.push(message) }
  const queue = new LedgerQueue({ commit: () => Promise.reject(new Error('disk full')), log })
  await expect(queue.submit(settle('a'))).rejects.toMatchObject({ code: 'storage_failed' })
  expect(errors).toEqual(['the ledger could not be written'])
})

test('releases holds that could not be settled or released once the storage works again', async () => {
  let isBroken = true
  const written: string[] = []
  const queue = openQueue(commands => {
    if (isBroken) throw new Error('disk full')
    written.push(...commands.map(({ kind, hold }) => `${kind} ${hold.requestId}`))
  })
  const failed = await Promise.allSettled([
    queue.submit(settle('a')),
    queue.submit({ kind: 'release', hold: holdOf('b') }),
  ])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  await queue.submit(reserve('c'))
  await queue.close()
  expect(written).toEqual(['reserve c', 'release a', 'release b'])
})

test('leaves the hold of a task that could not be closed to the retry of the task', async () => {
  let isBroken = true
  const written: string[] = []
  const queue = openQueue(commands => {
    if (isBroken) throw new Error('disk full')
    written.push(...commands.map(({ kind, hold }) => `${kind} ${hold.requestId}`))
  })
  const command: LedgerCommand = {
    kind: 'settle',
    hold: { ...holdOf('a'), belongsToTask: true },
    bill: buildBill(1),
  }
  await expect(queue.submit(command)).rejects.toMatchObject({ code: 'storage_failed' })
  isBroken = false
  await queue.submit(reserve('b'))
  await queue.submit(command)
  expect(written).toEqual(['reserve b', 'settle a'])
})

test('releases a reservation when the outcome of its commit is unknown', async () => {
  const written: LedgerCommand['kind'][] = []
  const queue = openQueue(commands => {
    if (commands.some(command => command.kind === 'reserve')) throw new Error('connection lost')
    written.push(...commands.map(command => command.kind))
  })
  await expect(queue.submit(reserve('a'))).rejects.toMatchObject({ code: 'storage_failed' })
  await queue.close()
  expect(written).toEqual(['release'])
})

test('close waits for a settlement that is being retried', async () => {
  let failures = 2
  const written: string[] = []
  const queue = openQueue(commands => {
    if (failures-- > 0) throw new Error('disk full')
    written.push(...requestIds(commands))
  })
  void queue.submit(settle('a'))
  await queue.close()
  expect(written).toEqual(['a'])
})

/** A storage whose commits stall until `resume`. */
function openStalledQueue(openMsMax: number) {
  const written: string[] = []
  const stall = Promise.withResolvers<void>()
  const commit = async (commands: readonly LedgerCommand[]) => {
    await stall.promise
    written.push(...commands.map(({ kind, hold }) => `${kind} ${hold.requestId}`))
    return ALL_APPLIED
  }
  return {
    queue: new LedgerQueue({ commit, log: noopLogger, openMsMax }),
    written,
    resume: stall.resolve,
  }
}

test('at the deadline drops waiting reservations and later releases the ones in the middle of a write', async () => {
  const { queue, written, resume } = openStalledQueue(DEADLINE_MS)
  const writing = queue.submit(reserve('a'))
  await Bun.sleep(5)
  const waiting = queue.submit(reserve('b'))
  const results = await Promise.allSettled([writing, waiting])
  expect(results).toMatchObject([
    { reason: { code: 'storage_failed' } },
    { reason: { code: 'storage_failed' } },
  ])
  resume()
  await queue.close()
  expect(written).toEqual(['reserve a', 'release a'])
})

test('does not apply the deadline to commands that close a hold', async () => {
  const { queue, written, resume } = openStalledQueue(10)
  const settled = queue.submit(settle('a'))
  await Bun.sleep(40)
  resume()
  await settled
  expect(written).toEqual(['settle a'])
})

test('does not release an expired reservation that is rejected in the end', async () => {
  const stall = Promise.withResolvers<void>()
  const kinds: string[] = []
  const commit = async (commands: readonly LedgerCommand[]) => {
    await stall.promise
    kinds.push(...commands.map(({ kind }) => kind))
    const rejection = new GatewayError('insufficient_user_quota', sameInBoth('empty'))
    return { ...ALL_APPLIED, rejections: new Map(commands.map(command => [command, rejection])) }
  }
  const queue = new LedgerQueue({ commit, log: noopLogger, openMsMax: DEADLINE_MS })
  const [result] = await Promise.allSettled([queue.submit(reserve('a'))])
  expect(result).toMatchObject({ reason: { code: 'storage_failed' } })
  stall.resolve()
  await queue.close()
  expect(kinds).toEqual(['reserve'])
})
