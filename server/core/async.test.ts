import { describe, expect, test } from 'bun:test'
import { batchLookups, createPacedQueue, nextBatch } from './async.ts'

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

describe('lookups that come together', () => {
  test('share one query, which gets each key once', async () => {
    const queries: (readonly string[])[] = []
    const look = batchLookups<string, number>(async keys => {
      queries.push(keys)
      return new Map(keys.filter(key => key !== 'gone').map(key => [key, key.length]))
    })
    expect(await Promise.all(['a', 'bb', 'a', 'gone'].map(look))).toEqual([1, 2, 1, undefined])
    expect(await look('a')).toBe(1)
    expect(queries).toEqual([['a', 'bb', 'gone'], ['a']])
  })

  test('fail together, and not those that come later', async () => {
    let isDown = true
    const look = batchLookups<string, number>(async keys => {
      if (isDown) throw new Error('down')
      return new Map(keys.map(key => [key, 1]))
    })
    const results = await Promise.allSettled([look('a'), look('b')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isDown = false
    expect(await look('a')).toBe(1)
  })
})

describe('a paced queue', () => {
  const workMs = (ms: number) => {
    const end = performance.now() + ms
    while (performance.now() < end);
    return performance.now()
  }

  test("pauses after each step for the step's own time, so that other work gets its turns", async () => {
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

  test('rejects with the error of a step and runs the next', async () => {
    const run = createPacedQueue()
    const failed = run(() => {
      throw new Error('no JSON')
    })
    const next = run(() => 'next')
    await expect(failed).rejects.toThrow('no JSON')
    expect(await next).toBe('next')
  })
})
