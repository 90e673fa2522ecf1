import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { completionTokens, promptTokens } from '../core/usage.ts'
import { usageFromTotals } from './extra-usage.ts'

test('splits totals into buckets that add up to them, even for contradictory parts', () => {
  const count = fc.nat(10_000)
  const totals = fc.record({
    prompt: count,
    cachedInput: count,
    cacheWrite: count,
    audioInput: count,
    imageInput: count,
    cachedAudio: count,
    cachedImage: count,
    completion: fc.integer({ min: 1, max: 10_000 }),
    reasoning: count,
    audioOutput: count,
    imageOutput: count,
  })
  fc.assert(
    fc.property(totals, given => {
      const usage = usageFromTotals(given)
      expect(usage && promptTokens(usage)).toBe(given.prompt)
      expect(usage && completionTokens(usage)).toBe(given.completion)
      for (const count of Object.values(usage ?? {}))
        if (typeof count === 'number') expect(count).toBeGreaterThanOrEqual(0)
    }),
  )
})

test.each([
  [{ prompt: 10, cachedInput: 11, completion: 1 }, { cachedInput: 11 }],
  [{ prompt: 10, cachedInput: 4, completion: 1, total: 15 }, { cachedInput: 4 }],
  [{ prompt: 10, completion: 5, reasoning: 3, total: 18 }, { reasoning: 3 }],
  [
    { prompt: 10, cachedInput: 4, completion: 5, reasoning: 3, total: 22 },
    { cachedInput: 4, reasoning: 3 },
  ],
  [{ prompt: 10, cachedInput: 10, completion: 5, reasoning: 5, total: 15 }, undefined],
  [{ prompt: 10, cachedInput: 4, completion: 5, total: 16 }, undefined],
])('finds the parts that %j counts beside its totals', (totals, separate) => {
  expect(usageFromTotals(totals)?.separate).toEqual(separate)
})

test('treats two totals of 0 as missing usage', () => {
  expect(usageFromTotals({ prompt: 0, completion: 0, cachedInput: 5 })).toBeUndefined()
})
