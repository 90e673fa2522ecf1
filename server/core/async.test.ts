import { describe, expect, test } from 'bun:test'
import { createPacedQueue, createStagger, nextBatch } from './async.ts'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Adds the given number of items in each turn until the batch is complete. Returns the size of the batch. */
async function batchSize(arrivals: readonly number[]): Promise<number> {
  let count = 1
  let isComplete = false
  const batch = nextBatch(() => count).then(() => {
    isComplete = true
  })
  for (const arriving of arrivals) {
    if (isComplete) break
    count += arriving
    await turn()
  }
  const size = count
  await batch
  return size
}

test('completes a batch of one after a single turn', async () => {
  expect(await batchSize([0, 1, 1])).toBe(1)
})

test('completes a batch after the first turn that adds nothing', async () => {
  expect(await batchSize([2, 3, 1, 0, 9, 9])).toBe(7)
})

test('completes a batch after at most eight turns', async () => {
  const size = await batchSize(Array.from({ length: 100 }, () => 1))
  expect(size).toBeLessThanOrEqual(10)
  expect(size).toBeGreaterThan(5)
})

describe('a paced queue', () => {
  const workMs = (ms: number) => {
    const end = performance.now() + ms
    while (performance.now() < end);
    return performance.now()
  }

  test('pauses after each step as long as it took, so that other work gets its turns', async () => {
    const run = createPacedQueue()
    const starts: number[] = []
    const step = () => {
      starts.push(performance.now())
      return workMs(20)
    }
    const ends = await Promise.all([run(step), run(step), run(step)])
    for (const [index, end] of ends.slice(0, -1).entries())
      expect((starts[index + 1] ?? 0) - end).toBeGreaterThan(18)
  })

  test('rejects with what a step throws and runs the next', async () => {
    const run = createPacedQueue()
    const failed = run(() => {
      throw new Error('no JSON')
    })
    const next = run(() => 'next')
    await expect(failed).rejects.toThrow('no JSON')
    expect(await next).toBe('next')
  })
})

describe('staggered callers', () => {
  /** Lets so many callers come at once. Returns how many had gone on after each turn of the event loop. */
  async function goneOnByTurn(callers: number, turns: number): Promise<readonly number[]> {
    const stagger = createStagger()
    let goneOn = 0
    const call = async () => {
      await stagger()
      goneOn += 1
    }
    for (let index = 0; index < callers; index++) void call()
    const counts = []
    for (let index = 0; index < turns; index++) {
      await turn()
      counts.push(goneOn)
    }
    return counts
  }

  test('go on one per turn', async () => {
    expect(await goneOnByTurn(5, 5)).toEqual([2, 3, 4, 5, 5])
  })

  test('go on faster the more of them are waiting', async () => {
    const counts = await goneOnByTurn(1000, 60)
    expect(counts[0]).toBe(1 + Math.ceil(999 / 32))
    expect(counts[59]).toBeGreaterThan(800)
  })

  test('do not wait for those of an earlier turn', async () => {
    const stagger = createStagger()
    expect(stagger()).toBeUndefined()
    expect(stagger()).toBeInstanceOf(Promise)
    for (let index = 0; index < 3; index++) await turn()
    expect(stagger()).toBeUndefined()
  })
})
