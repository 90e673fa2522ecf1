import { expect, test } from 'bun:test'
import { GatewayError } from '../core/errors.ts'
import { noopLogger } from '../core/logger.ts'
import { quota } from '../core/money.ts'
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
const idsOf = (movements: readonly LedgerCommand[]) => movements.map(movement => movement.hold.requestId)

/** So that an opening is on its way, even on a machine that stands still for a while, before it is given up. */
const MUCH_LONGER_THAN_A_TURN_MS = 300

function openQueue(write: (movements: readonly LedgerCommand[]) => void | Promise<void>) {
  const commit = async (movements: readonly LedgerCommand[]) => {
    await write(movements)
    return new Map()
  }
  return new LedgerQueue({ commit, log: noopLogger })
}

test('what arrives during one turn shares one transaction', async () => {
  const batches: string[][] = []
  const queue = openQueue(movements => void batches.push(idsOf(movements)))
  await Promise.all(['a', 'b', 'c'].map(id => queue.submit(reserve(id))))
  expect(batches).toEqual([['a', 'b', 'c']])
})

test('while turns bring more, they join the same transaction', async () => {
  const batches: string[][] = []
  const queue = openQueue(movements => void batches.push(idsOf(movements)))
  const answers = [queue.submit(reserve('a'))]
  for (const id of ['b', 'c']) {
    answers.push(queue.submit(reserve(id)))
    await new Promise(resolve => setImmediate(resolve))
  }
  await Promise.all(answers)
  expect(batches).toEqual([['a', 'b', 'c']])
})

test('what arrives while a batch is being written shares the next one', async () => {
  const batches: string[][] = []
  const queue = openQueue(async movements => {
    batches.push(idsOf(movements))
    await Bun.sleep(5)
  })
  const first = queue.submit(reserve('a'))
  await Bun.sleep(1)
  await Promise.all([first, queue.submit(reserve('b')), queue.submit(settle('c'))])
  expect(batches).toEqual([['a'], ['b', 'c']])
})

test('one bad member of a batch fails alone', async () => {
  const written: string[] = []
  const queue = openQueue(movements => {
    if (idsOf(movements).includes('bad')) throw new Error('cannot be stored')
    written.push(...idsOf(movements))
  })
  const answers = await Promise.allSettled(['a', 'bad', 'c'].map(id => queue.submit(reserve(id))))
  expect(answers.map(answer => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(answers[1]).toMatchObject({ reason: { code: 'storage_failed', status: 503 } })
  expect(written).toEqual(['a', 'c'])
})

test('a batch whose connection is lost is not taken apart, and what it was to open is tried once more', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `request ${index}`)
  const batches: string[][] = []
  const queue = openQueue(movements => {
    const opened = movements.filter(({ kind }) => kind === 'reserve')
    if (opened.length > 0) batches.push(idsOf(opened))
    throw Object.assign(new Error('closed'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' })
  })
  const answers = await Promise.allSettled(ids.map(id => queue.submit(reserve(id))))
  expect(batches.flat().sort()).toEqual([...ids, ...ids].sort())
  expect(batches.length).toBeLessThan(ids.length)
  for (const answer of answers) expect(answer).toMatchObject({ reason: { code: 'storage_failed' } })
})

test('a settlement is tried again until the storage works', async () => {
  let failures = 3
  const written: string[] = []
  const queue = openQueue(movements => {
    if (failures-- > 0) throw new Error('disk full')
    written.push(...idsOf(movements))
  })
  await queue.submit(settle('a'))
  expect(written).toEqual(['a'])
})

test('a settlement that can never be stored is reported at last', async () => {
  const errors: string[] = []
  const log = { ...noopLogger, error: (message: string) => void errors.push(message) }
  const queue = new LedgerQueue({ commit: () => Promise.reject(new Error('disk full')), log })
  await expect(queue.submit(settle('a'))).rejects.toMatchObject({ code: 'storage_failed' })
  expect(errors).toEqual(['the books could not be written'])
})

test('a hold that could not be settled or released is given back when the storage works again', async () => {
  let isBroken = true
  const written: string[] = []
  const queue = openQueue(movements => {
    if (isBroken) throw new Error('disk full')
    written.push(...movements.map(({ kind, hold }) => `${kind} ${hold.requestId}`))
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

test('the hold of a task that could not be closed is left to whoever closes it again', async () => {
  let isBroken = true
  const written: string[] = []
  const queue = openQueue(movements => {
    if (isBroken) throw new Error('disk full')
    written.push(...movements.map(({ kind, hold }) => `${kind} ${hold.requestId}`))
  })
  const movement: LedgerCommand = {
    kind: 'settle',
    hold: { ...holdOf('a'), belongsToTask: true },
    bill: buildBill(1),
  }
  await expect(queue.submit(movement)).rejects.toMatchObject({ code: 'storage_failed' })
  isBroken = false
  await queue.submit(reserve('b'))
  await queue.submit(movement)
  expect(written).toEqual(['reserve b', 'settle a'])
})

test('a reserve whose commit was not answered is taken back', async () => {
  const written: LedgerCommand['kind'][] = []
  const queue = openQueue(movements => {
    if (movements.some(movement => movement.kind === 'reserve')) throw new Error('connection lost')
    written.push(...movements.map(movement => movement.kind))
  })
  await expect(queue.submit(reserve('a'))).rejects.toMatchObject({ code: 'storage_failed' })
  await queue.close()
  expect(written).toEqual(['release'])
})

test('close waits for a settlement that is being tried again', async () => {
  let failures = 2
  const written: string[] = []
  const queue = openQueue(movements => {
    if (failures-- > 0) throw new Error('disk full')
    written.push(...idsOf(movements))
  })
  void queue.submit(settle('a'))
  await queue.close()
  expect(written).toEqual(['a'])
})

/** A storage that answers nothing until it is let. */
function openStalledQueue(openMsMax: number) {
  const written: string[] = []
  const silence = Promise.withResolvers<void>()
  const commit = async (movements: readonly LedgerCommand[]) => {
    await silence.promise
    written.push(...movements.map(({ kind, hold }) => `${kind} ${hold.requestId}`))
    return new Map()
  }
  return {
    queue: new LedgerQueue({ commit, log: noopLogger, openMsMax }),
    written,
    speak: silence.resolve,
  }
}

test('a storage that falls silent is waited for in vain only so long: what was on its way is taken back, the rest is forgotten', async () => {
  const { queue, written, speak } = openStalledQueue(MUCH_LONGER_THAN_A_TURN_MS)
  const onItsWay = queue.submit(reserve('a'))
  await Bun.sleep(5)
  const waiting = queue.submit(reserve('b'))
  const answers = await Promise.allSettled([onItsWay, waiting])
  expect(answers).toMatchObject([
    { reason: { code: 'storage_failed' } },
    { reason: { code: 'storage_failed' } },
  ])
  speak()
  await queue.close()
  expect(written).toEqual(['reserve a', 'release a'])
})

test('what closes a hold is waited for as long as the storage is silent', async () => {
  const { queue, written, speak } = openStalledQueue(10)
  const settled = queue.submit(settle('a'))
  await Bun.sleep(40)
  speak()
  await settled
  expect(written).toEqual(['settle a'])
})

test('a hold that was refused after nobody waited for it any more is not taken back', async () => {
  const silence = Promise.withResolvers<void>()
  const kinds: string[] = []
  const commit = async (movements: readonly LedgerCommand[]) => {
    await silence.promise
    kinds.push(...movements.map(({ kind }) => kind))
    return new Map(
      movements.map(movement => [movement, new GatewayError('insufficient_user_quota', 'empty')]),
    )
  }
  const queue = new LedgerQueue({ commit, log: noopLogger, openMsMax: MUCH_LONGER_THAN_A_TURN_MS })
  const [answer] = await Promise.allSettled([queue.submit(reserve('a'))])
  expect(answer).toMatchObject({ reason: { code: 'storage_failed' } })
  silence.resolve()
  await queue.close()
  expect(kinds).toEqual(['reserve'])
})
