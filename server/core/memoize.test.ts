import { expect, test } from 'bun:test'
import { memoize } from './memoize.ts'

/** A memoized function and the texts that it was computed for. */
function withLog(countMax: number) {
  const computed: string[] = []
  const compute = memoize(text => {
    computed.push(text)
    return text.length
  }, countMax)
  return { computed, compute }
}

test('computes the result of a text once', () => {
  const { computed, compute } = withLog(10)
  expect(['one', 'three', 'one', 'three'].map(compute)).toEqual([3, 5, 3, 5])
  expect(computed).toEqual(['one', 'three'])
})

test('caches at most countMax results, and none of long texts', () => {
  const { computed, compute } = withLog(2)
  const long = 'x'.repeat(10_000)
  for (const text of ['a', 'b', 'c', 'c', 'a', long, long]) expect(compute(text)).toBe(text.length)
  expect(computed).toEqual(['a', 'b', 'c', 'a', long, long])
})

test('does not cache a failure', () => {
  let attempts = 0
  const compute = memoize(() => {
    attempts += 1
    if (attempts === 1) throw new Error('not yet')
    return attempts
  }, 10)
  expect(() => compute('x')).toThrow('not yet')
  expect(compute('x')).toBe(2)
})

test('does not keep the text in memory that a key was cut from', async () => {
  const MB = 2 ** 20
  const compute = memoize(text => text.length, 1_000)
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const grownMb = () => (process.memoryUsage.rss() - before) / MB
  for (let count = 0; count < 300; count += 1)
    expect(compute(`${' '.repeat(MB)}key number ${count}`.trim())).toBeLessThan(20)
  for (let checks = 0; checks < 50 && grownMb() > 100; checks += 1) {
    Bun.gc(true)
    await Bun.sleep(100)
  }
  expect(grownMb()).toBeLessThan(150)
  expect(compute('key number 7')).toBe(12)
})
