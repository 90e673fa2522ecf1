import { expect, test } from 'bun:test'
import { ReadQueue } from './read-queue.ts'

const WAIT_MS = 50
const createQueue = () => new ReadQueue({ running: 2, waiting: 4, waitingPerCaller: 2, waitMs: WAIT_MS })

/** Enters in the background and appends its name to the list once it is admitted. */
function enterAll(queue: ReadQueue, keys: readonly string[]) {
  const admitted: string[] = []
  const entering = keys.map((key, index) =>
    queue.enter({ key }).then(() => void admitted.push(`${key}${index}`)),
  )
  for (const entry of entering) entry.catch(() => undefined)
  return { admitted, entering }
}
const settle = () => Bun.sleep(1)

test('admits one read per caller, and other callers before the next of the same', async () => {
  const queue = createQueue()
  const { admitted } = enterAll(queue, ['a', 'a', 'b', 'c'])
  await settle()
  expect(admitted).toEqual(['a0', 'b2'])
  queue.leave('b')
  await settle()
  expect(admitted).toEqual(['a0', 'b2', 'c3'])
  queue.leave('a')
  await settle()
  expect(admitted).toEqual(['a0', 'b2', 'c3', 'a1'])
})

test('rejects a caller with too many waiting reads, and everybody when too many wait in total', async () => {
  const queue = createQueue()
  const { entering } = enterAll(queue, ['a', 'a', 'a', 'a'])
  await expect(entering[3]).rejects.toMatchObject({ code: 'query.busy', status: 503, retryAfterSeconds: 5 })
  const others = enterAll(queue, ['b', 'b', 'b', 'c'])
  await expect(others.entering[3]).rejects.toMatchObject({ code: 'query.busy' })
})

test('rejects a read that has waited too long', async () => {
  const queue = createQueue()
  const { entering } = enterAll(queue, ['a', 'a'])
  await expect(entering[1]).rejects.toMatchObject({ code: 'query.busy' })
  expect([queue.running, queue.waiting]).toEqual([1, 0])
})

test('lets a patient caller wait longer', async () => {
  const queue = createQueue()
  await queue.enter({ key: 'a' })
  const patient = queue.enter({ key: 'a', waitMs: 10 * WAIT_MS })
  await Bun.sleep(2 * WAIT_MS)
  queue.leave('a')
  await patient
  expect([queue.running, queue.waiting]).toEqual([1, 0])
})

test('forgets the waiting read of a client that has left', async () => {
  const queue = createQueue()
  const client = new AbortController()
  await queue.enter({ key: 'a' })
  const waiting = queue.enter({ key: 'a', signal: client.signal })
  client.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(queue.waiting).toBe(0)
})

test('runs exclusive work once the running reads have ended, and admits further reads after it', async () => {
  const queue = createQueue()
  const steps: string[] = []
  await queue.enter({ key: 'a' })
  const pause = queue.withoutReads(async () => void steps.push('work'))
  const later = queue.enter({ key: 'b' }).then(() => void steps.push('read'))
  await settle()
  expect(steps).toEqual([])
  queue.leave('a')
  await Promise.all([pause, later])
  expect(steps).toEqual(['work', 'read'])
})
