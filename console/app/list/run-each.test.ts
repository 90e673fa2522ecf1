import { describe, expect, test } from 'bun:test'
import { runEach } from './run-each.ts'

const pause = () => new Promise(resolve => setTimeout(resolve, 1))
const never = new AbortController().signal

describe('runEach', () => {
  test('runs every item once and reports failures', async () => {
    const settled: [number, boolean][] = []
    await runEach(
      [1, 2, 3, 4, 5],
      async item => {
        await pause()
        if (item === 3) throw new Error('three')
      },
      {
        concurrency: 2,
        signal: never,
        onSettled: (item, error) => settled.push([item, error !== undefined]),
      },
    )
    expect(settled.toSorted((a, b) => a[0] - b[0])).toEqual([
      [1, false],
      [2, false],
      [3, true],
      [4, false],
      [5, false],
    ])
  })

  test('never exceeds the concurrency', async () => {
    let now = 0
    let most = 0
    const items = Array.from({ length: 20 }, (_, index) => index)
    const work = async () => {
      now += 1
      most = Math.max(most, now)
      await pause()
      now -= 1
    }
    await runEach(items, work, { concurrency: 4, signal: never, onSettled: () => undefined })
    expect(most).toBe(4)
  })

  test('starts no further items after an abort and does not report aborted ones', async () => {
    const stop = new AbortController()
    const started: number[] = []
    const settled: number[] = []
    await runEach(
      [1, 2, 3, 4],
      async (item, signal) => {
        started.push(item)
        await pause()
        if (item === 2) stop.abort()
        signal.throwIfAborted()
      },
      { concurrency: 1, signal: stop.signal, onSettled: item => settled.push(item) },
    )
    expect(started).toEqual([1, 2])
    expect(settled).toEqual([1])
  })
})
